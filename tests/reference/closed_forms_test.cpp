// Mechanisms with solutions in closed form.
#include <numbers>

#include "reference/reference.h"
#include "testing/differentiate.h"

namespace bricard::testing_support {
namespace closed_forms_test {

constexpr double pi = std::numbers::pi, g = 9.81;

// --- tops ---

TEST(FreeTop, JacobianEllipticFunctions) {
  const SimulationResult result = run(shipped("free-top"), accurate(20, 1));
  const Table table = read_table("free-top");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::size_t at = row_at(result, table.at(row, "time"));
    const Quaternion turn = quaternion_at(result, at, "top");
    const Quaternion p(table.at(row, "top.qw"), table.at(row, "top.qx"), table.at(row, "top.qy"),
                       table.at(row, "top.qz"));
    const Vec3 omega(table.at(row, "wx_body"), table.at(row, "wy_body"), table.at(row, "wz_body"));
    const Vec3 world = vector_at(result, at, "top.wx", "top.wy", "top.wz");
    expect_close("attitude", std::min((turn.coeffs() - p.coeffs()).norm(), (turn.coeffs() + p.coeffs()).norm()), 0,
                 5e-9);
    expect_close("omega", (turn.conjugate() * world - omega).norm(), 0, 1e-8);
  }
}

TEST(FreeTop, Period) {
  const double period = 22.9962629441225;
  const SimulationResult result = run(shipped("free-top"), accurate(period, period));
  const Vec3 world = vector_at(result, 1, "top.wx", "top.wy", "top.wz");
  const Vec3 omega = quaternion_at(result, 1, "top").conjugate() * world;
  expect_close("omega", (omega - Vec3(0.1, 1, 0.1)).norm(), 0, 5e-9);
}

TEST(SpinningTop, SteadyPrecession) {
  const SimulationResult result = run(shipped("spinning-top"), accurate(4, 0.1));
  const double r = 0.2 * std::sin(pi / 6), z = 0.2 * std::cos(pi / 6), precession = 3;
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double phase = precession * result.data.at(row, "time");
    const Vec3 center(r * std::cos(phase), r * std::sin(phase), z);
    expect_close("center", (center_at(result, row, "top") - center).norm(), 0, 1e-8);
    // Steady precession: the ball joint carries the weight and the centripetal force.
    const Vec3 force(-9 * center.x(), -9 * center.y(), g);
    expect_close("force", (vector_at(result, row, "O.fx", "O.fy", "O.fz") - force).norm(), 0, 2e-6);
  }
}

TEST(SpinningTop, NutationFrequency) {
  // sqrt(Omega^2 - 2 (m g l/A) cos(theta) + (m g l/(A Omega))^2) for a small kick.
  const double kick = 1e-4, A = 0.0025 + 0.04, ratio = 0.2 * g / A, c = std::cos(pi / 6);
  const double frequency = std::sqrt(9 - 2 * ratio * c + ratio * ratio / 9);
  const SimulationResult result = run(shipped("spinning-top", {{"kick", "1e-4"}}), accurate(2, 0.01));
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    const double tilt = std::acos(result.data.at(row, "top.z") / 0.2) - pi / 6;
    // Terms of second order in kick/frequency = 8e-6 are left out.
    expect_close("tilt", tilt, -kick / frequency * std::sin(frequency * t), 2e-9);
  }
}

// --- upright rolling disc: lean'' = -(12/5 omega^2 - 4/5 g/r) lean ---

TEST(RollingDisc, LeanOfAFastDisc) {
  const SimulationResult result =
      run(shipped("rolling-coin", {{"theta", "pi/2"}, {"wh", "1e-4"}, {"wm", "0"}, {"wu", "6"}}), accurate(5, 0.05));
  const double frequency = std::sqrt(12.0 / 5 * 36 - 4.0 / 5 * g / 0.5), amplitude = 1e-4 / frequency;
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double lean = (quaternion_at(result, row, "coin") * Vec3::UnitZ()).z();
    // Third-order terms are left out.
    expect_close("lean", lean / amplitude, std::sin(frequency * result.data.at(row, "time")), 1e-5);
  }
}

TEST(RollingDisc, ASlowDiscFalls) {
  // Critical: v = sqrt(g r/3), omega = v/r = 2.557 rad/s.
  const SimulationResult result =
      run(shipped("rolling-coin", {{"theta", "pi/2"}, {"wh", "1e-6"}, {"wm", "0"}, {"wu", "2"}}), accurate(2, 0.05));
  const double rate = std::sqrt(4.0 / 5 * g / 0.5 - 12.0 / 5 * 4), amplitude = 1e-6 / rate;
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double growth = std::sinh(rate * result.data.at(row, "time"));
    const double lean = (quaternion_at(result, row, "coin") * Vec3::UnitZ()).z();
    expect_close("lean", lean / amplitude, growth, 1e-4 * (1 + growth));
  }
}

// --- gears and screws ---

TEST(Gears, GearedPair) {
  const SimulationResult result = run(shipped("geared-pair"), accurate(1, 0.1));
  const double acceleration = 1.5 / (0.005 + 0.25 * 0.08);  // T/(I1 + I2/4)
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    expect_close("A.angle", result.data.at(row, "A.angle"), acceleration * t * t / 2, 1e-10);
    expect_close("A.rate", result.data.at(row, "A.rate"), acceleration * t, 1e-10);
    expect_close("B.angle", result.data.at(row, "B.angle"), -acceleration * t * t / 4, 1e-10);
    // What the teeth do to the large wheel's joint coordinate: I2 times its acceleration.
    expect_close("teeth", std::abs(result.data.at(row, "teeth.effort")), 0.08 * acceleration / 2, 1e-10);
  }
}

TEST(Gears, RackAndPinion) {
  const SimulationResult result = run(shipped("rack-and-pinion"), accurate(1, 0.1));
  const double fall = 3 * g / (3 + 0.01 / 0.01);  // m g/(m + I/r^2)
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    expect_close("rack.y", result.data.at(row, "rack.y"), -fall * t * t / 2, 1e-11);
    expect_close("A.angle", result.data.at(row, "A.angle"), -10 * fall * t * t / 2, 1e-10);
    expect_close("energy", result.data.at(row, "energy.total"), 0, 1e-10);
  }
}

TEST(PinInSlot, ScotchYokeKeepsItsEnergy) {
  const double period = 0.873775257098;  // the integral of sqrt(1 + 2 sin^2 phi)/10 over a turn
  const SimulationResult result = run(shipped("scotch-yoke"), accurate(period, period / 8));
  ASSERT_EQ(result.data.rows.size(), 9u);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double phi = result.data.at(row, "crank.angle"), rate = 10 / std::sqrt(1 + 2 * std::pow(std::sin(phi), 2));
    expect_close("rate", result.data.at(row, "crank.omega"), rate, 1e-9);
    expect_close("yoke", result.data.at(row, "yoke.x"), 0.1 * std::cos(phi), 1e-12);
    // x'' = -r (cos phi phi'^2 + sin phi phi''), phi'' = -m r^2 sin phi cos phi phi'^2 / (I + m r^2 sin^2 phi)
    const double s = std::sin(phi), c = std::cos(phi);
    expect_close("pin", result.data.at(row, "pin.fx"), 0.2 * rate * rate * c * (1 - 2 * s * s / (1 + 2 * s * s)), 1e-8);
  }
  expect_close("quarter", result.data.at(2, "crank.omega"), 10 / std::sqrt(3), 1e-9);
  expect_close("turn", result.data.at(8, "crank.angle"), 2 * std::numbers::pi, 1e-9);
}

TEST(Screw, PressWithACardanDrive) {
  const auto model = shipped("screw-press");
  expect_counts(start_of(model).structure, 18, 18, 17);
  const SimulationResult result = run(model, accurate(1, 0.1));
  const double sine = std::sin(pi / 6), cosine = std::cos(pi / 6), pitch = 0.02 / (2 * pi), M = 20, T = 3;
  const auto spindle = [&](double angle) {
    return angle + std::atan2((cosine - 1) * std::tan(angle), 1 + cosine * std::tan(angle) * std::tan(angle));
  };
  const auto rate = [&](double angle) {
    const double k = cosine / (1 - std::pow(sine * std::sin(angle), 2));
    return std::sqrt(2 * (T * angle + M * g * pitch * spindle(angle)) / (0.02 + (0.05 + M * pitch * pitch) * k * k));
  };
  for (std::size_t row = 1; row < result.data.rows.size(); ++row) {
    const double angle = result.data.at(row, "bearing.angle");
    expect_close("rate", result.data.at(row, "bearing.rate"), rate(angle), 5e-8);
    expect_close("ram", result.data.at(row, "ram.z"), -0.4 - pitch * spindle(angle), 1e-10);
    // The time to get there, with angle = s^2 because the drive starts at rest.
    const auto slowness = [&](double s) { return 2 / (s > 0 ? rate(s * s) / s : rate(1e-12) / 1e-6); };
    expect_close("time", integral(slowness, 0, std::sqrt(angle)), result.data.at(row, "time"), 1e-9);
  }
}

// --- forces ---

TEST(Friction, BlockOnAnIncline) {
  const SimulationResult result = run(shipped("friction-incline"), accurate(1.2, 0.01, 1e-10));
  const double A = g * std::sin(pi / 6), B = 0.2 * g * std::cos(pi / 6), top = 3 / (A + B);
  // Friction smoothed as tanh(v/1e-4) turns the block round earlier than Coulomb's law, by
  const double earlier = 2 * B * 1e-4 * std::atanh(B / A) / (A * A - B * B);  // 6e-6 s
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time"), s = result.data.at(row, "guide.position"),
                 v = result.data.at(row, "guide.rate");
    if (t < top - 0.001) {
      expect_close("up", s, 3 * t - (A + B) * t * t / 2, 1e-9);
      expect_close("friction up", result.data.at(row, "guide.friction"), -2 * B, 1e-8);
    } else if (t > top + 0.001) {
      expect_close("down", s, 3 * top / 2 - (A - B) * std::pow(t - top + earlier, 2) / 2, 1e-8);
      expect_close("rate down", v, -(A - B) * (t - top + earlier), 1e-8);
      expect_close("without smoothing", s, 3 * top / 2 - (A - B) * std::pow(t - top, 2) / 2, 2e-5);
    }
  }
}

TEST(FollowerForce, FresnelIntegrals) {
  const SimulationResult result = run(shipped("follower-force"), accurate(5, 0.5));
  const auto angle = [](double t) { return 1.5 * t * t; };  // 6 F/(m L) = 3 rad/s^2
  for (std::size_t row = 1; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    const auto along_x = [&](double s) { return -0.5 * std::sin(angle(s)); };
    const auto along_y = [&](double s) { return 0.5 * std::cos(angle(s)); };
    expect_close("angle", result.data.at(row, "rod.angle"), angle(t), 1e-9);
    expect_close("vx", result.data.at(row, "rod.vx"), integral(along_x, 0, t), 1e-8);
    expect_close("vy", result.data.at(row, "rod.vy"), integral(along_y, 0, t), 1e-8);
    expect_close("x", result.data.at(row, "rod.x"), integral([&](double s) { return (t - s) * along_x(s); }, 0, t),
                 2e-9);
    expect_close("y", result.data.at(row, "rod.y"), integral([&](double s) { return (t - s) * along_y(s); }, 0, t),
                 2e-9);
  }
}

// --- drives and velocity-level constraints ---

TEST(DrivenSliderCrank, PlacesAndTorque) {
  const auto model = shipped("driven-slider-crank");
  EXPECT_EQ(start_of(model).structure.degrees_of_freedom, 0);
  const SimulationResult result = run(model, accurate(2, 0.05));
  const double r = 0.1, l = 0.3;
  const auto slider = [&](double phi) { return r * std::cos(phi) + std::sqrt(l * l - std::pow(r * std::sin(phi), 2)); };
  const auto slope = [&](double phi) {
    return -r * std::sin(phi) -
           r * r * std::sin(phi) * std::cos(phi) / std::sqrt(l * l - std::pow(r * std::sin(phi), 2));
  };
  // Kinetic energy J(phi) phi'^2/2, potential V(phi); the rod's centre is the middle of B and C, its angle -asin(r
  // sin(phi)/l).
  const auto energies = [&](double phi) {
    const double vx = (-r * std::sin(phi) + slope(phi)) / 2, vy = r * std::cos(phi) / 2;
    const double turn = r * std::cos(phi) / std::sqrt(l * l - std::pow(r * std::sin(phi), 2));
    const double J = 0.5 * r * r / 3 + vx * vx + vy * vy + l * l / 12 * turn * turn + 2 * slope(phi) * slope(phi);
    return Eigen::Vector2d(J, g * (0.5 + 1) * r * std::sin(phi) / 2);
  };
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time"), phi = 2 * pi * t - std::sin(2 * pi * t);
    const double rate = 2 * pi * (1 - std::cos(2 * pi * t)), acceleration = 4 * pi * pi * std::sin(2 * pi * t);
    expect_close("phi", result.data.at(row, "A.angle"), phi, 1e-11);
    expect_close("x", result.data.at(row, "slider.x"), slider(phi), 1e-12);
    expect_close("vx", result.data.at(row, "slider.vx"), slope(phi) * rate, 1e-11);
    const Eigen::Vector2d slopes = differentiate([&](double s) { return Eigen::VectorXd(energies(phi + s)); });
    const double torque = energies(phi)[0] * acceleration + slopes[0] * rate * rate / 2 + slopes[1];
    expect_close("torque", result.data.at(row, "drive.effort"), torque, 1e-9);
  }
}

TEST(KnifeEdge, ChaplyginSleigh) {
  const SimulationResult result = run(shipped("knife-edge"), accurate(5, 0.1));
  const double J = 0.5 + 2 * 0.25, V = 3 * std::sqrt(J / 2), k = 0.5 * 3 * std::sqrt(2 / J);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time"), heading = result.data.at(row, "sleigh.angle");
    const double vx = result.data.at(row, "sleigh.vx"), vy = result.data.at(row, "sleigh.vy");
    expect_close("speed", vx * std::cos(heading) + vy * std::sin(heading), V * std::tanh(k * t), 1e-9);
    expect_close("omega", result.data.at(row, "sleigh.omega"), 3 / std::cosh(k * t), 1e-9);
    expect_close("angle", heading, 6 / k * std::atan(std::tanh(k * t / 2)), 1e-9);
    expect_close("energy", result.data.at(row, "energy.total"), 4.5, 1e-8);
  }
}

}  // namespace closed_forms_test
}  // namespace bricard::testing_support

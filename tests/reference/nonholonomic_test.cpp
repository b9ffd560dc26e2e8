// Nonholonomic mechanisms against closed forms, and against equations of motion reduced by hand.
#include <fmt/format.h>

#include <numbers>

#include "reference/reference.h"
#include "support/reduced_motion.h"

namespace bricard::testing_support {
namespace reference_nonholonomic_test {

constexpr double pi = std::numbers::pi, g = 9.81;

void expect_energy(const SimulationResult& result, double energy, double tolerance = 1e-9) {
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    expect_close("energy", result.data.at(row, "energy.total"), energy, tolerance);
  }
}

/// M v' = S w^2, J w' = -S v w: sleighs and carts. v: speed of the point that may only move ahead, w: turning rate.
struct Sleigh {
  Sleigh(double M, double J, double S, double v0, double w0)
      : V(std::sqrt((M * v0 * v0 + J * w0 * w0) / M)),
        W(std::sqrt((M * v0 * v0 + J * w0 * w0) / J)),
        k(S * V / J),
        phase(std::atanh(v0 / V)) {}
  double speed(double t) const { return V * std::tanh(k * t + phase); }
  double rate(double t) const { return W / std::cosh(k * t + phase); }
  double heading(double t) const { return W / k * (gudermannian(k * t + phase) - gudermannian(phase)); }
  static double gudermannian(double u) { return 2 * std::atan(std::tanh(u / 2)); }
  double V, W, k, phase;
};

TEST(Skate, SlidesAcrossTheSlope) {
  const SimulationResult result = run(shipped("skate"), accurate(5, 0.1));
  const double w = 2, s = g * std::sin(pi / 6), c = s / (2 * w * w);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time"), sine = std::sin(w * t), cosine = std::cos(w * t);
    expect_close("x", result.data.at(row, "skate.x"), c * sine * sine, 1e-9);
    expect_close("y", result.data.at(row, "skate.y"), c * (w * t - sine * cosine), 1e-9);
    expect_close("vx", result.data.at(row, "skate.vx"), s / w * sine * cosine, 1e-9);
    expect_close("omega", result.data.at(row, "skate.omega"), w, 1e-12);
  }
  expect_energy(result, 2);
}

TEST(ChaplyginSleigh, TurnsRoundIfItStartsBackwards) {
  // The blade leads at first, which is unstable; in the end it trails.
  const double m = 2, a = 0.5, J = 0.5 + m * a * a, v0 = -3, w0 = 0.2;
  const SimulationResult result = run(shipped("knife-edge", {{"v0", "-3"}, {"w0", "0.2"}}), accurate(5, 0.1));
  const Sleigh exact(m, J, m * a, v0, w0);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time"), heading = result.data.at(row, "sleigh.angle");
    const double vx = result.data.at(row, "sleigh.vx"), vy = result.data.at(row, "sleigh.vy");
    expect_close("speed", vx * std::cos(heading) + vy * std::sin(heading), exact.speed(t), 1e-8);
    expect_close("omega", result.data.at(row, "sleigh.omega"), exact.rate(t), 1e-8);
    expect_close("angle", heading, exact.heading(t), 1e-8);
  }
  EXPECT_GT(exact.speed(5), 2.9);
  expect_energy(result, (m * v0 * v0 + J * w0 * w0) / 2, 1e-8);
}

// --- carts ---

struct Cart {
  double m = 10, Iz = 0.4, a = 0, b = 0.25, mw = 1, r = 0.1, v0 = 1, w0 = 2;
  double spin = mw * r * r / 2;
  double M() const { return m + 2 * mw + 2 * spin / (r * r); }
  double J() const { return Iz + m * a * a + 2 * (mw * b * b + spin / 2) + 2 * spin * b * b / (r * r); }
};

TEST(TwoWheeledCart, RunsInACircleForEver) {
  const auto model = shipped("two-wheeled-cart");
  const SimulationResult result = run(model, accurate(6, 0.25));
  const Structure structure = analyze_structure(model, "reference-point");
  expect_counts(structure, 18, 16, 16);
  EXPECT_EQ(structure.velocity_constraints, 4);
  const Cart cart;
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    const Vec3 center(std::sin(2 * t) / 2, 0.5 - std::cos(2 * t) / 2, 0.1);
    expect_close("chassis", (center_at(result, row, "chassis") - center).norm(), 0, 1e-9);
    // The outer (right) wheel turns faster.
    expect_close("left", result.data.at(row, "L.rate"), (1 - 2 * 0.25) / 0.1, 1e-8);
    expect_close("right", result.data.at(row, "R.rate2"), (1 + 2 * 0.25) / 0.1, 1e-8);
    // Contact forces give the centripetal acceleration v w of all masses and carry the weight.
    const Vec3 left = vector_at(result, row, "left-wheel.fx", "left-wheel.fy", "left-wheel.fz");
    const Vec3 right = vector_at(result, row, "right-wheel.fx", "right-wheel.fy", "right-wheel.fz");
    const Vec3 caster = vector_at(result, row, "caster.fx", "caster.fy", "caster.fz");
    const Vec3 inward(-std::sin(2 * t), std::cos(2 * t), 0);
    const double mass = cart.m + 2 * cart.mw;
    expect_close("contact", (left + right + caster - mass * (2 * inward + Vec3(0, 0, g))).norm(), 0, 1e-7);
  }
  expect_energy(result, (cart.M() + cart.J() * 4) / 2 + (cart.m + 2 * cart.mw) * g * cart.r, 1e-8);
}

TEST(TwoWheeledCart, RunsStraightWithoutTurning) {
  const SimulationResult result = run(shipped("two-wheeled-cart", {{"w0", "0"}, {"a", "0.1"}}), accurate(3, 0.5));
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const Vec3 center(0.1 + result.data.at(row, "time"), 0, 0.1);
    expect_close("chassis", (center_at(result, row, "chassis") - center).norm(), 0, 1e-10);
  }
}

TEST(TwoWheeledCart, IsASleighIfItsMassIsAhead) {
  Cart cart;
  cart.a = 0.2;
  const SimulationResult result = run(shipped("two-wheeled-cart", {{"a", "0.2"}}), accurate(3, 0.1));
  const Sleigh exact(cart.M(), cart.J(), cart.m * cart.a, cart.v0, cart.w0);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double t = result.data.at(row, "time");
    const Vec3 ahead = quaternion_at(result, row, "chassis") * Vec3::UnitX();
    const Vec3 velocity = vector_at(result, row, "chassis.vx", "chassis.vy", "chassis.vz");
    expect_close("speed", velocity.dot(ahead), exact.speed(t), 1e-8);
    expect_close("rate", result.data.at(row, "chassis.wz"), exact.rate(t), 1e-8);
    const double angle = exact.heading(t);
    expect_close("heading", (ahead - Vec3(std::cos(angle), std::sin(angle), 0)).norm(), 0, 1e-8);
  }
}

TEST(FourWheeledCart, SwingsAboutItsTurningPointLikeAPendulum) {
  const auto model = shipped("four-wheeled-cart");
  const double m = 10, mw = 1, r = 0.1, b = 0.25, l = 0.8, R = 2, spin = mw * r * r / 2, amplitude = pi / 3;
  double J = 0.8 + m * (R * R + l * l / 4);
  for (const double ahead : {0.0, l}) {
    for (const double side : {R - b, R + b}) {
      const double d2 = ahead * ahead + side * side;
      J += mw * d2 + spin / 2 + spin * d2 / (r * r);
    }
  }
  const double S = std::hypot(m * l / 2 + 2 * mw * l, (m + 4 * mw) * R), stiffness = S * g * std::sin(pi / 18);
  const double period = 4 * std::sqrt(J / stiffness) * std::comp_ellint_1(std::sin(amplitude / 2));
  expect_close("printed period", period, 8.013836, 1e-6);
  const SimulationResult result = run(model, accurate(period / 2, period / 4, 1e-10));
  const Structure structure = analyze_structure(model, "reference-point");
  expect_counts(structure, 30, 32, 29);
  EXPECT_EQ(structure.velocity_constraints, 8);
  const auto yaw = [&](std::size_t row) {
    const Vec3 ahead = quaternion_at(result, row, "chassis") * Vec3::UnitX();
    return std::atan2(ahead.y(), ahead.x());
  };
  const double fastest = std::sqrt(2 * stiffness * (1 - std::cos(amplitude)) / J);
  expect_close("lowest", yaw(1), -amplitude, 1e-7);
  expect_close("rate there", result.data.at(1, "chassis.wz"), -fastest, 1e-7);
  expect_close("other side", yaw(2), -2 * amplitude, 1e-7);
  expect_close("rate there", result.data.at(2, "chassis.wz"), 0, 1e-7);
  expect_energy(result, result.data.at(0, "energy.total"), 1e-6);
}

// --- wheels ---

double measured_frequency(const SimulationResult& result) {
  std::vector<double> crossings;
  const auto lean = [&](std::size_t row) { return (quaternion_at(result, row, "wheel") * Vec3::UnitY()).z(); };
  for (std::size_t row = 2; row < result.data.rows.size(); ++row) {
    const double before = lean(row - 1), after = lean(row);
    if ((before > 0) == (after > 0)) continue;
    const double t = result.data.at(row - 1, "time"), h = result.data.at(row, "time") - t;
    crossings.push_back(t + h * before / (before - after));
  }
  if (crossings.size() < 2) return 0;
  return pi * static_cast<double>(crossings.size() - 1) / (crossings.back() - crossings.front());
}

TEST(RollingWheel, LeansToAndFroAtTheFrequencyOfTheClosedForm) {
  const double r = 0.3, critical = std::sqrt(g / (3 * r));
  for (const double w : {1.1 * critical, 5.0, 8.0, 20.0}) {
    const SimulationResult result = run(shipped("rolling-wheel", {{"w", std::to_string(w)}}), accurate(6, 0.001));
    const double frequency = std::sqrt(12.0 / 5 * w * w - 4.0 / 5 * g / r);
    expect_close("frequency for w = " + std::to_string(w), measured_frequency(result) / frequency, 1, 2e-6);
  }
}

TEST(RollingWheel, FallsBelowTheCriticalSpeed) {
  const SimulationResult result = run(shipped("rolling-wheel", {{"w", "3"}}), accurate(3, 0.01));
  EXPECT_EQ(measured_frequency(result), 0);
  EXPECT_GT(std::abs((quaternion_at(result, 300, "wheel") * Vec3::UnitY()).z()), 0.1);
}

TEST(RollingCoin, SteadyTurn) {
  // Leaning by a constant angle it runs in a circle if
  //   (m r^2/4) wm^2 cot(theta) + (3/2) m r^2 wm wu = m g r cos(theta),
  // with the heading turning at -wm/sin(theta) and the centre moving at r wu.
  const double r = 0.5, theta = 1.2, wm = -1.5;
  const double wu = (g * std::cos(theta) / r - wm * wm / (4 * std::tan(theta))) / (1.5 * wm);
  const auto text = [](double value) { return fmt::format("{:.17g}", value); };
  const SimulationResult result =
      run(shipped("rolling-coin", {{"theta", text(theta)}, {"wh", "0"}, {"wm", text(wm)}, {"wu", text(wu)}}),
          accurate(5, 0.25));
  const double turning = -wm / std::sin(theta), radius = r * wu / turning;
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    const double angle = turning * result.data.at(row, "time");
    const Vec3 center(radius * std::sin(angle), radius * (1 - std::cos(angle)), r * std::sin(theta));
    expect_close("center", (center_at(result, row, "coin") - center).norm(), 0, 1e-8);
  }
}

// --- snakeboard ---

TEST(Snakeboard, MomentumEquation) {
  // Both wheels steered oppositely, the board's middle has no velocity sideways and theta' = (u/l) tan(phi). The
  // virtual displacement (1 ahead, tan(phi)/l in theta) gives m u' + (tan(phi)/l) H' = 0, H = J theta' + Jr psi'.
  const double l = 0.2, m = 2 + 2 + 2 * 1, Jr = 0.08, J = 0.03 + Jr + 2 * (0.002 + l * l);
  const double steer = 0.3, swing = 0.7, omega = 2 * pi;
  const auto rate = [&](double t, const Eigen::VectorXd& x) -> Eigen::VectorXd {  // x, y, theta, u
    const double phi = steer * std::sin(omega * t), phi_rate = steer * omega * std::cos(omega * t);
    const double psi_acceleration = -swing * omega * omega * std::sin(omega * t);
    const double T = std::tan(phi), T_rate = (1 + T * T) * phi_rate, u = x[3];
    const double acceleration = -(T / l) * (J / l * u * T_rate + Jr * psi_acceleration) / (m + J * T * T / (l * l));
    return Eigen::Vector4d(u * std::cos(x[2]), u * std::sin(x[2]), u / l * T, acceleration);
  };
  const auto model = shipped("snakeboard");
  const SimulationResult result = run(model, accurate(4, 0.25));
  expect_counts(result.summary.structure, 12, 11, 11);
  EXPECT_EQ(result.summary.structure.velocity_constraints, 2);
  Eigen::VectorXd x = Eigen::Vector4d::Zero();
  for (std::size_t row = 1; row < result.data.rows.size(); ++row) {
    const double before = result.data.at(row - 1, "time"), t = result.data.at(row, "time");
    x = runge_kutta(rate, before, x, t);
    expect_close("x", result.data.at(row, "board.x"), x[0], 1e-8);
    expect_close("y", result.data.at(row, "board.y"), x[1], 1e-8);
    expect_close("theta", result.data.at(row, "board.angle"), x[2], 1e-8);
    expect_close("vx", result.data.at(row, "board.vx"), x[3] * std::cos(x[2]), 1e-8);
    expect_close("vy", result.data.at(row, "board.vy"), x[3] * std::sin(x[2]), 1e-8);
  }
  EXPECT_GT(x[0], 1);  // it drives ahead though nothing pushes
  // The work of the motors is what the board gains.
  EXPECT_LT(result.summary.energy_drift, 1e-8 * result.summary.energy_scale);
}

}  // namespace reference_nonholonomic_test
}  // namespace bricard::testing_support

// Driven mechanisms against closed forms, against simulations of the same models, and where they have to fail.
#include "bricard/kinematics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bricard/load.h"

namespace bricard {
namespace kinematics_test {

constexpr double pi = std::numbers::pi;
const std::string models = BRICARD_SOURCE_DIR "/models/";

std::string read_text(const std::string& file) { return load(file)->text; }

/// A shipped model with lines added at its end, or one replaced.
std::shared_ptr<const Model> with(const std::string& name, const std::string& added, const std::string& old = {},
                                  const std::string& replacement = {}) {
  std::string text = read_text(models + name + ".yaml");
  if (!old.empty()) text.replace(text.find(old), old.size(), replacement);
  return load_text(text + "\n" + added + "\n", name + ".yaml");
}

Method over(double duration, double step) {
  Method method;
  method.duration = duration, method.output_step = step;
  return method;
}

// --- closed forms ---

TEST(KinematicsTest, SliderCrankFollowsItsClosedForm) {
  const KinematicsResult result = kinematics(load(models + "driven-slider-crank.yaml"));
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  ASSERT_EQ(result.data.rows.size(), 201u);
  const double r = 0.1, l = 0.3, m1 = 0.5, m2 = 1, m3 = 2, g = 9.81;
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    const double t = result.data.at(k, "time"), w = 2 * pi;
    const double phi = w * t - std::sin(w * t), rate = w - w * std::cos(w * t), acceleration = w * w * std::sin(w * t);
    // Rod's angle psi below the x axis: l sin(psi) = r sin(phi).
    const double s = r / l * std::sin(phi), c = std::sqrt(1 - s * s), k1 = r / l * std::cos(phi) / c;  // psi' = k1 phi'
    const double dk1 = r / l * (-std::sin(phi) / c + r / l * std::cos(phi) * std::cos(phi) * s / (c * c * c));
    // Influence coefficients of the velocities and their derivatives by phi.
    const double x = r * std::cos(phi) + l * c;
    const double dx = -r * std::sin(phi) - l * s * k1, ddx = -r * std::cos(phi) - l * (c * k1 * k1 + s * dk1);
    EXPECT_NEAR(result.data.at(k, "slider.x"), x, 1e-12);
    EXPECT_NEAR(result.data.at(k, "slider.vx"), dx * rate, 1e-11);
    EXPECT_NEAR(result.data.at(k, "slider.ax"), dx * acceleration + ddx * rate * rate, 1e-9);
    EXPECT_NEAR(result.data.at(k, "rod.alpha"), -(k1 * acceleration + dk1 * rate * rate), 1e-9);
    // Virtual power: tau = sum m a . (dr/dphi) + I alpha (dtheta/dphi) + weight.
    const double gx = -r * std::sin(phi) - l / 2 * s * k1, gy = r * std::cos(phi) / 2;  // centre of the rod
    const double dgx = -r * std::cos(phi) - l / 2 * (c * k1 * k1 + s * dk1), dgy = -r * std::sin(phi) / 2;
    const auto inertia = [&](double G, double dG) { return G * (G * acceleration + dG * rate * rate); };
    const double torque = m1 * r * r / 3 * acceleration + m1 * g * r / 2 * std::cos(phi) +
                          m2 * (inertia(gx, dgx) + inertia(gy, dgy) + l * l / 12 * inertia(k1, dk1)) + m2 * g * gy +
                          m3 * inertia(dx, ddx);
    EXPECT_NEAR(result.data.at(k, "drive.effort"), torque, 1e-9);
    EXPECT_NEAR(result.data.at(k, "drive.power"), torque * rate, 1e-8);
  }
  EXPECT_LT(result.summary.constraint_position_max, 1e-13);
}

TEST(KinematicsTest, FourBarClosesItsLoopAndTheMotorBalancesThePower) {
  const KinematicsResult result = kinematics(load(models + "driven-four-bar.yaml"));
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  // Values of the model file, from high-precision arithmetic on the two circles and the derivative of the energy.
  const auto expect = [&](std::size_t row, double angle, double rate, double effort) {
    EXPECT_NEAR(result.data.at(row, "D.angle"), angle, 1e-11);
    EXPECT_NEAR(result.data.at(row, "D.rate"), rate, 1e-10);
    EXPECT_NEAR(result.data.at(row, "drive.effort"), effort, 1e-9);
  };
  expect(50, 0.763153330490, 2.846375923526, -31.589958246750);
  expect(100, 1.063139610387, -0.436374949938, -0.654670255757);
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    // The loop: C as the end of the coupler and as the end of the rocker.
    const double phi = pi / 3 + 2 * pi * result.data.at(k, "time");
    const double coupler = result.data.at(k, "coupler.angle"), rocker = result.data.at(k, "rocker.angle");
    EXPECT_NEAR(0.8 * std::cos(phi) + 1.8 * std::cos(coupler), 2 - 1.5 * std::cos(rocker), 1e-12);
    EXPECT_NEAR(0.8 * std::sin(phi) + 1.8 * std::sin(coupler), -1.5 * std::sin(rocker), 1e-12);
  }
  // A full turn: everything comes back, and the energy with it.
  EXPECT_NEAR(result.data.at(200, "D.angle"), 0, 1e-12);
  EXPECT_NEAR(result.data.at(200, "A.angle"), 2 * pi, 1e-12);
  EXPECT_NEAR(result.data.at(200, "energy.total"), result.data.at(0, "energy.total"), 1e-10);
}

TEST(KinematicsTest, UniversalJointTurnsUnevenly) {
  const double beta = pi / 6, rate = 5;
  const auto model = with("screw-press", "motions: {turn: {joint: bearing, position: 5*t}}");
  const KinematicsResult result = kinematics(model, over(2, 0.02));
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  const double pitch = 0.02, J1 = 0.02, J2 = 0.05, M = 20, g = 9.81, T = 3;
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    const double phi = rate * result.data.at(k, "time");
    const double ratio = std::cos(beta) / (1 - std::pow(std::sin(beta) * std::sin(phi), 2));
    const double ratio_slope = std::cos(beta) * std::pow(std::sin(beta), 2) * std::sin(2 * phi) /
                               std::pow(1 - std::pow(std::sin(beta) * std::sin(phi), 2), 2);
    EXPECT_NEAR(result.data.at(k, "spindle.wz"), rate * ratio, 1e-10);
    EXPECT_NEAR(result.data.at(k, "spindle.alphaz"), rate * rate * ratio_slope, 1e-9);
    EXPECT_NEAR(result.data.at(k, "ram.vz"), -pitch / (2 * pi) * rate * ratio, 1e-11);
    EXPECT_NEAR(result.data.at(k, "bearing.angle"), phi, 1e-11);  // over several turns
    // The motor T of the model still acts; the drive gives the rest of the power.
    const double inertia = J2 + M * std::pow(pitch / (2 * pi), 2);
    const double torque = inertia * ratio * ratio_slope * rate * rate - M * g * pitch / (2 * pi) * ratio - T;
    EXPECT_NEAR(result.data.at(k, "turn.effort"), torque, 1e-8);
  }
  (void)J1;  // even turning: the drive's own inertia takes no part
  EXPECT_NE(result.summary.messages.back().find("not unique"), std::string::npos);
}

// The length by which moments are weighed decides which reactions of a redundant loop are reported, and is said.
TEST(KinematicsTest, TheReactionLengthCounts) {
  const auto model = with("bennett", "motions: {turn: {joint: P1, position: 3*t}}");
  Method far = over(0.1, 0.1);
  far.reaction_length = 50;
  const KinematicsResult usual = kinematics(model, over(0.1, 0.1)), other = kinematics(model, far);
  EXPECT_NE(other.data.notes.convention.find("moments per 50 m"), std::string::npos) << other.data.notes.convention;
  EXPECT_GT(std::abs(usual.data.at(0, "P2.fx") - other.data.at(0, "P2.fx")), 1e-3);
  EXPECT_NEAR(usual.data.at(0, "turn.effort"), other.data.at(0, "turn.effort"), 1e-9);
}

TEST(KinematicsTest, BennettLinkageObeysItsClosure) {
  const auto model = with("bennett", "motions: {turn: {joint: P1, position: 3*t}}");
  const KinematicsResult result = kinematics(model, over(2.2, 0.01));
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_EQ(result.summary.structure.constraints - result.summary.structure.rank, 3);
  // What is written says that every force of the loop is a convention.
  EXPECT_EQ(std::count(result.data.notes.not_unique.begin(), result.data.notes.not_unique.end(), "P2.fx"), 1);
  EXPECT_FALSE(result.data.notes.convention.empty());
  const double closure = std::sin(pi * 75 / 180) / std::sin(pi * 15 / 180);
  const auto theta2 = [&](double theta1) {
    return 2 * std::atan2(closure * std::cos(theta1 / 2), std::sin(theta1 / 2));
  };
  const double start = pi * 70 / 180;
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    const double theta1 = start + 3 * result.data.at(k, "time");
    const double turned = result.data.at(k, "P2.angle");
    EXPECT_NEAR(std::remainder(std::abs(turned) - std::abs(theta2(theta1) - theta2(start)), 2 * pi), 0, 1e-9);
    EXPECT_NEAR(result.data.at(k, "P3.angle") * result.data.at(k, "P3.angle"),
                9 * std::pow(result.data.at(k, "time"), 2),
                1e-8);  // opposite links turn alike
  }
  // The drive against the balance of power.
  for (std::size_t k = 3; k + 3 < result.data.rows.size(); ++k) {
    const auto energy = [&](int offset) { return result.data.at(k + offset, "energy.total"); };
    const double power =
        (45 * (energy(1) - energy(-1)) - 9 * (energy(2) - energy(-2)) + energy(3) - energy(-3)) / (60 * 0.01);
    EXPECT_NEAR(result.data.at(k, "turn.power"), power, 1e-3 * (1 + std::abs(power)));
  }
}

/// Legs as prismatic joints between universal and spherical ones, all driven.
std::shared_ptr<const Model> stewart_with_legs() {
  std::string text =
      "bricard: 1\ndimension: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  platform: {mass: 10, inertia: [0.9, 0.9, 1.8], center: [0, 0, 1.2]}\n";
  std::string joints = "joints:\n", motions = "motions:\n";
  const double base[] = {-10, 10, 110, 130, 230, 250}, top[] = {-50, 50, 70, 170, 190, 290};
  const double goal[] = {1.143757637771, 1.405350920265, 1.370060758657,
                         1.383905300201, 1.148487143075, 1.354381353618};
  const auto place = [](const Vec3& p) {
    return "[" + std::to_string(p.x()) + ", " + std::to_string(p.y()) + ", " + std::to_string(p.z()) + "]";
  };
  char line[512];
  for (int k = 0; k < 6; ++k) {
    const std::string n = std::to_string(k + 1);
    const auto expression = [&](double radius, double degrees, double height) {
      std::snprintf(line, sizeof line, "[%g*cos(%g deg), %g*sin(%g deg), %g]", radius, degrees, radius, degrees,
                    height);
      return std::string(line);
    };
    const Vec3 B(std::cos(base[k] * pi / 180), std::sin(base[k] * pi / 180), 0),
        P(0.6 * std::cos(top[k] * pi / 180), 0.6 * std::sin(top[k] * pi / 180), 1.2);
    const Vec3 u = (P - B).normalized(), first = u.cross(Vec3::UnitX()).normalized(), second = u.cross(first);
    // Massless legs: cylinder and rod, with the load in the driven sliding joint.
    text += "  lower" + n + ": {mass: 0, inertia: [0, 0, 0], center: " + expression(1, base[k], 0) + "}\n";
    text += "  upper" + n + ": {mass: 0, inertia: [0, 0, 0], center: " + expression(0.6, top[k], 1.2) + "}\n";
    joints += "  base" + n + ": {type: universal, bodies: [ground, lower" + n + "], at: " + expression(1, base[k], 0) +
              ", axes: [" + place(1e6 * first) + ", " + place(1e6 * second) + "]}\n";
    char axis[256];
    std::snprintf(axis, sizeof axis, "[%.17g, %.17g, %.17g]", u.x(), u.y(), u.z());
    joints += "  leg" + n + ": {type: prismatic, bodies: [lower" + n + ", upper" + n +
              "], at: " + expression(0.6, top[k], 1.2) + ", axis: " + axis + "}\n";
    joints += "  top" + n + ": {type: spherical, bodies: [upper" + n +
              ", platform], at: " + expression(0.6, top[k], 1.2) + "}\n";
    std::snprintf(line, sizeof line, "  push%s: {joint: leg%s, position: \"step(t, 0, 0, 1, %.12f - %.12f)\"}\n",
                  n.c_str(), n.c_str(), goal[k], 1.371403174948);
    motions += line;
  }
  return load_text(text + joints + motions, "stewart-legs.yaml");
}

TEST(KinematicsTest, StewartPlatformOnDrivenLegs) {
  const KinematicsResult result = kinematics(stewart_with_legs(), over(1.2, 0.1));
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  const double force[] = {26.3817836154, 19.0257114433, 17.0718212130, 13.3259162385, 28.1632290545, 8.8651732324};
  const std::size_t last = result.data.rows.size() - 1;
  EXPECT_NEAR(result.data.at(last, "platform.x"), 0.1, 1e-9);
  EXPECT_NEAR(result.data.at(last, "platform.y"), -0.05, 1e-9);
  EXPECT_NEAR(result.data.at(last, "platform.z"), 1.1, 1e-9);
  for (int k = 0; k < 6; ++k) {
    const std::string n = std::to_string(k + 1);
    EXPECT_NEAR(result.data.at(0, "push" + n + ".effort"), 18.6853682587, 1e-8) << n;
    EXPECT_NEAR(result.data.at(last, "push" + n + ".effort"), force[k], 1e-7) << n;
  }
}

// --- against a simulation ---

TEST(KinematicsTest, AgreesWithTheSimulationOfTheSameModel) {
  const std::vector<std::shared_ptr<const Model>> cases = {
      load(models + "driven-slider-crank.yaml"), load(models + "driven-four-bar.yaml"),
      with("bennett", "motions: {turn: {joint: P1, position: t^2}}"),
      // Friction that depends on the load.
      with("driven-four-bar", "", "D: {type: revolute, bodies: [ground, rocker], at: D}",
           "D: {type: revolute, bodies: [ground, rocker], at: D, friction: {coulomb: 0.3, radius: 0.1, smoothing: "
           "0.2}}")};
  for (const auto& model : cases) {
    SCOPED_TRACE(model->name);
    Method method = over(0.5, 0.05);
    method.tolerance = 1e-11;
    const KinematicsResult driven = kinematics(model, method);
    const SimulationResult simulated = simulate(model, method);
    ASSERT_TRUE(driven.ok()) << driven.summary.failure;
    ASSERT_TRUE(simulated.ok());
    for (std::size_t column = 0; column < simulated.data.columns.size(); ++column) {
      const std::string& name = simulated.data.columns[column];
      if (name.starts_with("constraint.")) continue;
      for (std::size_t row = 0; row < simulated.data.rows.size(); ++row) {
        const double expected = simulated.data.rows[row][static_cast<int>(column)];
        EXPECT_NEAR(driven.data.at(row, name), expected, 1e-8 * (1 + std::abs(expected))) << name << " " << row;
      }
    }
  }
}

TEST(KinematicsTest, LongOutputStepsKeepTheBranch) {
  const auto model = load(models + "driven-four-bar.yaml");
  const KinematicsResult fine = kinematics(model, over(3, 0.01)), coarse = kinematics(model, over(3, 0.75));
  ASSERT_TRUE(coarse.ok()) << coarse.summary.failure;
  EXPECT_GT(coarse.summary.steps, 10);
  for (std::size_t k = 0; k < coarse.data.rows.size(); ++k)
    EXPECT_LT((coarse.data.rows[k] - fine.data.rows[75 * k]).lpNorm<Eigen::Infinity>(), 1e-8);
}

TEST(KinematicsTest, PassesASingularPositionOnTheSmoothBranch) {
  // Crank and rod of equal length: at phi = pi/2 the slider is at the crank's bearing and the rod could turn about it.
  const auto even = load_text(
      [&] {
        std::string text = read_text(models + "driven-slider-crank.yaml");
        text.replace(text.find("l: 0.3"), 6, "l: 0.1");
        const std::string law = "2*pi*turns*t - sin(2*pi*turns*t)";
        text.replace(text.find("position: " + law), law.size() + 10, "position: 2*pi*t");
        return text;
      }(),
      "even.yaml");
  const KinematicsResult result = kinematics(even, over(1, 0.01));
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  ASSERT_FALSE(result.summary.singular_times.empty());
  EXPECT_NEAR(result.summary.singular_times.front(), 0.25, 1e-12);
  EXPECT_NE(result.summary.messages.back().find("singular position at t = 0.25"), std::string::npos);
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    const double phi = 2 * pi * result.data.at(k, "time");
    EXPECT_NEAR(result.data.at(k, "slider.x"), 0.2 * std::cos(phi), 1e-8) << phi;
    EXPECT_NEAR(result.data.at(k, "slider.vx"), -0.2 * 2 * pi * std::sin(phi), 1e-6) << phi;
    EXPECT_NEAR(result.data.at(k, "slider.ax"), -0.2 * 4 * pi * pi * std::cos(phi), 1e-4) << phi;
  }
}

// --- drives that are too few, too many, or impossible ---

TEST(KinematicsTest, SaysWhatIsNotDriven) {
  const KinematicsResult result = kinematics(load(models + "double-pendulum.yaml"));
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.summary.failure, "2 degrees of freedom are not driven: add motions for joints A and B.");
  EXPECT_TRUE(result.data.rows.empty());
  EXPECT_EQ(kinematics(load(models + "pendulum.yaml")).summary.failure,
            "1 degree of freedom is not driven: add a motion for joint A.");
}

/// A spatial four-bar whose coupler can spin about its own axis.
std::shared_ptr<const Model> with_idle_coupler() {
  return load_text(R"(
bricard: 1
dimension: spatial
points: {A: [0, 0, 0], B: [0, 0.3, 0], C: [1, 0.5, 0.4], D: [1, 0, 0.4]}
bodies:
  crank: {mass: 1, inertia: [0.01, 0.002, 0.01], center: [0, 0.15, 0]}
  coupler: {rod: [B, C], mass: 1, radius: 0.02}
  rocker: {mass: 1, inertia: [0.02, 0.002, 0.02], center: [1, 0.25, 0.4]}
joints:
  A: {type: revolute, bodies: [ground, crank], at: A, axis: [1, 0, 0]}
  B: {type: spherical, bodies: [crank, coupler], at: B}
  C: {type: spherical, bodies: [coupler, rocker], at: C}
  D: {type: revolute, bodies: [ground, rocker], at: D, axis: [0, 0, 1]}
motions: {turn: {joint: A, position: 2*t}}
)",
                   "idle.yaml");
}

TEST(KinematicsTest, IdleFreedomsAreRefusedOrHeld) {
  const auto model = with_idle_coupler();
  const KinematicsResult refused = kinematics(model, over(1, 0.1));
  EXPECT_FALSE(refused.ok());
  EXPECT_NE(refused.summary.failure.find("1 degree of freedom is not driven"), std::string::npos);
  EXPECT_NE(refused.summary.failure.find("coupler moves without moving any joint coordinate"), std::string::npos)
      << refused.summary.failure;

  const KinematicsResult held = kinematics(model, over(1, 0.05), {.hold = true});
  ASSERT_TRUE(held.ok()) << held.summary.failure;
  EXPECT_NE(held.summary.messages.front().find("held"), std::string::npos);
  for (std::size_t k = 0; k < held.data.rows.size(); ++k) {
    const auto vector = [&](const char* x, const char* y, const char* z) {
      return Vec3(held.data.at(k, std::string("coupler") + x), held.data.at(k, std::string("coupler") + y),
                  held.data.at(k, std::string("coupler") + z));
    };
    const Quaternion p(held.data.at(k, "coupler.qw"), held.data.at(k, "coupler.qx"), held.data.at(k, "coupler.qy"),
                       held.data.at(k, "coupler.qz"));
    const Vec3 axis = p * Vec3::UnitX();
    EXPECT_NEAR(vector(".wx", ".wy", ".wz").dot(axis), 0, 1e-12);
    EXPECT_NEAR(vector(".alphax", ".alphay", ".alphaz").dot(axis), 0, 1e-10);
    // B at both ends: the coupler's end and the crank's.
    const double phi = 2 * held.data.at(k, "time"), half = Vec3(1, 0.2, 0.4).norm() / 2;
    const Vec3 B = vector(".x", ".y", ".z") - half * axis;
    EXPECT_LT((B - Vec3(0, 0.3 * std::cos(phi), 0.3 * std::sin(phi))).norm(), 1e-11);
  }
}

TEST(KinematicsTest, ConsistentRedundantDrivesShareTheLoad) {
  // Both cranks of a parallelogram driven alike.
  const std::string parallelogram = R"(
bricard: 1
dimension: planar
bodies:
  left: {rod: [[0, 0], [0, 1]], mass: 1}
  beam: {rod: [[0, 1], [2, 1]], mass: 4}
  right: {rod: [[2, 0], [2, 1]], mass: 1}
joints:
  A: {type: revolute, bodies: [ground, left], at: [0, 0]}
  B: {type: revolute, bodies: [left, beam], at: [0, 1]}
  C: {type: revolute, bodies: [beam, right], at: [2, 1]}
  D: {type: revolute, bodies: [ground, right], at: [2, 0]}
motions:
  one: {joint: A, position: -t}
  two: {joint: D, position: )";
  const KinematicsResult result = kinematics(load_text(parallelogram + "-t}\n", "two.yaml"), over(1, 0.01));
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  EXPECT_NE(result.summary.messages.back().find("least norm"), std::string::npos);
  for (std::size_t k = 0; k < result.data.rows.size(); ++k) {
    // Even turning: only weights. V = (1 g/2 + 4 g + 1 g/2) cos(phi); tau = dV/dangle with angle = -phi.
    const double total = 5 * 9.81 * std::sin(result.data.at(k, "time"));
    EXPECT_NEAR(result.data.at(k, "one.effort"), total / 2, 1e-9);
    EXPECT_NEAR(result.data.at(k, "two.effort"), total / 2, 1e-9);
  }

  const KinematicsResult bad =
      kinematics(load_text(parallelogram + "\"-t - max(t - 0.5, 0)^2\"}\n", "bad.yaml"), over(1, 0.1));
  EXPECT_FALSE(bad.ok());
  EXPECT_EQ(bad.data.rows.size(), 6u);  // rows up to there are kept
  EXPECT_NE(bad.summary.failure.find("drive two contradicts the other drives: at t = 0.6 s it is off by 0.01"),
            std::string::npos)
      << bad.summary.failure;
}

TEST(KinematicsTest, SaysWhereADriveLocks) {
  // l1 = 1.6: no link can turn fully. The crank locks where coupler and rocker are in line: at the angle between l0 and
  // l1 with opposite side l2 + l3.
  const auto model = load(models + "driven-four-bar.yaml", {.parameters = {{"l1", "1.6"}}});
  const double locked = std::acos((2 * 2 + 1.6 * 1.6 - 3.3 * 3.3) / (2 * 2 * 1.6));
  const KinematicsResult result = kinematics(model);
  EXPECT_FALSE(result.ok());
  EXPECT_GT(result.data.rows.size(), 20u);
  const double expected = (locked - pi / 3) / (2 * pi);
  EXPECT_NEAR(result.summary.time, expected, 0.006);
  EXPECT_NE(result.summary.failure.find("cannot be followed beyond t = 0.20159"), std::string::npos);
  EXPECT_NEAR(expected, 0.201598903, 1e-9);
  EXPECT_NE(result.summary.failure.find("the mechanism cannot be closed at t = 0.205 s"), std::string::npos)
      << result.summary.failure;
  EXPECT_NE(result.summary.failure.find("stays open by"), std::string::npos);
}

TEST(KinematicsTest, RefusesWhatItCannotKnow) {
  EXPECT_THROW(kinematics(with("driven-four-bar", "", "D: {type: revolute, bodies: [ground, rocker], at: D}",
                               "D: {type: revolute, bodies: [ground, rocker], at: D, friction: {dahl: {stiffness: 10, "
                               "limit: 1}}}")),
               InputError);
  EXPECT_THROW(kinematics(load(models + "driven-four-bar.yaml"), over(-1, 0.1)), InputError);
  // A rolling wheel whose axle is driven: its place depends on the way.
  const KinematicsResult rolling = kinematics(load_text(R"(
bricard: 1
dimension: planar
bodies: {wheel: {mass: 1, inertia: 1, center: [0, 1]}}
joints:
  roll: {type: rolling, bodies: [ground, wheel], radius: 1, line: {at: [0, 0], direction: [1, 0]}}
  turn: {type: constraint, expression: wz(wheel) - t}
)",
                                                        "wheel.yaml"));
  EXPECT_FALSE(rolling.ok());
  EXPECT_NE(rolling.summary.failure.find("bricard run"), std::string::npos) << rolling.summary.failure;
}

}  // namespace kinematics_test
}  // namespace bricard

#include "analyses/linear/modes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "bricard/load.h"
#include "support/models.h"

namespace bricard {
namespace modes_test {

using testing_support::shipped;
using Texts = testing_support::Parameters;

std::shared_ptr<const Model> written(const std::string& text) { return load_text("bricard: 1\n" + text, "test"); }

/// Distance of the nearest mode's eigenvalue.
double distance(const Modes& modes, Complex eigenvalue) {
  double nearest = 1e300;
  for (const Mode& mode : modes.modes) nearest = std::min(nearest, std::abs(mode.eigenvalue - eigenvalue));
  return nearest;
}

// --- the bicycle benchmark: Meijaard, Papadopoulos, Ruina and Schwab 2007, table 2 ---

TEST(Modes, WhippleBicycleHasThePublishedEigenvalues) {
  std::ifstream file(BRICARD_SOURCE_DIR "/tests/data/bicycle-eigenvalues.csv");
  std::string line;
  int speeds = 0;
  while (std::getline(file, line)) {
    if (line.empty() || !std::isdigit(static_cast<unsigned char>(line[0]))) continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    double v = 0, real = 0, imaginary = 0, capsize = 0, castering = 0;
    numbers >> v >> real >> imaginary >> capsize >> castering;
    const Modes modes = find_modes(shipped("whipple-bicycle", {{"v", std::to_string(v)}}));
    ASSERT_TRUE(modes.ok) << modes.failure;
    EXPECT_EQ(modes.linear.displacements, 7);
    EXPECT_EQ(modes.linear.speeds, 3);
    EXPECT_EQ(modes.zero_eigenvalues, 6) << v;
    EXPECT_EQ(modes.modes.size(), 3u) << v;
    EXPECT_TRUE(modes.linear.steady);
    EXPECT_LT(distance(modes, {real, imaginary}), 1e-10) << v;
    EXPECT_LT(distance(modes, capsize), 1e-10) << v;
    EXPECT_LT(distance(modes, castering), 1e-10) << v;
    const bool stable = v > 4.29238253634111 && v < 6.02426201538837;
    EXPECT_EQ(modes.stability, stable ? MotionStability::marginal : MotionStability::unstable) << modes.verdict;
    ++speeds;
  }
  EXPECT_EQ(speeds, 10);
}

TEST(Modes, WhippleBicycleAtRestFallsBothWays) {
  const Modes modes = find_modes(shipped("whipple-bicycle", {{"v", "0"}}));
  ASSERT_TRUE(modes.ok) << modes.failure;
  for (const double root : {-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393})
    EXPECT_LT(distance(modes, root), 1e-10) << root;
  EXPECT_EQ(modes.verdict, "unstable: 2 modes grow");
}

TEST(Modes, BicycleAtItsPublishedCriticalSpeeds) {
  // At the weave speed the weave neither grows nor decays.
  const Modes weave = find_modes(shipped("whipple-bicycle", {{"v", "4.29238253634111"}}));
  EXPECT_LT(distance(weave, {0, 3.43503384866144}), 1e-9);
}

TEST(Modes, CoinRollingInACircleWobblesAsAppellAndKortewegSay) {
  // Speeds wm about the diameter through the contact, wu about the axis, theta from the vertical to the axis:
  //   (A + m r^2) theta'' = A wm^2 cot + (C + m r^2) wm wu - m g r cos
  //   dwm/dtheta = -wm cot - (C/A) wu,   dwu/dtheta = -m r^2/(C + m r^2) wm
  const double m = 1, r = 0.5, g = 9.81, theta = 1.2, wm = -2, A = m * r * r / 4, C = m * r * r / 2, B = C + m * r * r;
  const double c = std::cos(theta), s = std::sin(theta), wu = (m * g * r * c - A * wm * wm * c / s) / (B * wm);
  const double dm = -wm * c / s - C / A * wu, du = -m * r * r / B * wm;
  const double squared =
      -(2 * A * wm * dm * c / s - A * wm * wm / (s * s) + B * (dm * wu + wm * du) + m * g * r * s) / (A + m * r * r);
  const Modes modes = find_modes(
      shipped("rolling-coin", {{"theta", "1.2"}, {"wm", "-2"}, {"wu", fmt::format("{:.17g}", wu)}, {"wh", "0"}}));
  ASSERT_TRUE(modes.ok) << modes.failure;
  EXPECT_TRUE(modes.linear.steady);
  EXPECT_NEAR(modes.linear.turning.z(), -wm / s, 1e-9);
  EXPECT_LT(distance(modes, {0, std::sqrt(squared)}), 1e-9);
  EXPECT_EQ(modes.stability, MotionStability::marginal);
}

// --- platform on mounts ---

/// Frequencies of K x = w^2 M x, assembled by hand at the equilibrium; see the model file.
Vector platform_frequencies(bool with_weight) {
  const double m = 120, a = 0.5, b = 0.35, h = 0.2, g = 9.81;
  const Vec3 k(20e3, 15e3, 50e3), inertia(6, 11, 14);
  Matrix M = Matrix::Zero(6, 6), K = Matrix::Zero(6, 6);
  M.diagonal() << m, m, m, inertia;
  for (const double x : {-a, a}) {
    for (const double y : {-b, b}) {
      Eigen::Matrix<double, 3, 6> J;  // of a mount, for translation and rotation of the platform
      J << 1, 0, 0, 0, -h, -y, 0, 1, 0, h, 0, x, 0, 0, 1, y, -x, 0;
      K += J.transpose() * k.asDiagonal() * J;
    }
  }
  if (with_weight) K(3, 3) -= m * g * h, K(4, 4) -= m * g * h;
  const Vector squared = Eigen::GeneralizedSelfAdjointEigenSolver<Matrix>(K, M).eigenvalues();
  return squared.cwiseSqrt() / (2 * std::numbers::pi);
}

TEST(Modes, PlatformOnMountsHasItsSixFrequencies) {
  for (const bool with_weight : {true, false}) {
    const Modes modes = with_weight ? find_modes(shipped("spring-platform", {{"c", "0"}}),
                                                 {.at = ModesOptions::At::equilibrium, .independent = {}})
                                    : find_modes(shipped("spring-platform", {{"c", "0"}, {"m", "120"}}));
    ASSERT_TRUE(modes.ok) << modes.failure;
    ASSERT_EQ(modes.modes.size(), 6u);
    if (!with_weight) {  // unloaded and falling: the mounts press nothing yet
      EXPECT_FALSE(modes.linear.steady);
      EXPECT_EQ(modes.stability, MotionStability::unknown);
    }
    const Vector expected = platform_frequencies(with_weight);
    for (int k = 0; k < 6; ++k) {
      EXPECT_NEAR(modes.modes[k].frequency, expected[k], 1e-9) << k;
      EXPECT_EQ(modes.modes[k].damping_ratio, 0);
      EXPECT_TRUE(std::isinf(modes.modes[k].time_constant));
    }
  }
}

TEST(Modes, DampingIsReportedWithItsRatioAndTime) {
  // Bounce: m w^2 = 4 kz, damping c times stiffness: ratio c w/2.
  const Modes modes = find_modes(shipped("spring-platform"), {.at = ModesOptions::At::equilibrium, .independent = {}});
  ASSERT_TRUE(modes.ok) << modes.failure;
  EXPECT_EQ(modes.stability, MotionStability::asymptotic);
  EXPECT_EQ(modes.verdict, "asymptotically stable");
  const double w = std::sqrt(4 * 50e3 / 120), ratio = 2e-3 * w / 2;
  const Complex bounce(-ratio * w, w * std::sqrt(1 - ratio * ratio));
  EXPECT_LT(distance(modes, bounce), 1e-9);
  for (const Mode& mode : modes.modes) {
    if (std::abs(mode.eigenvalue - bounce) > 1e-6) continue;
    EXPECT_NEAR(mode.damping_ratio, ratio, 1e-9);
    EXPECT_NEAR(mode.time_constant, 1 / (ratio * w), 1e-8);
    EXPECT_NEAR(mode.frequency, bounce.imag() / (2 * std::numbers::pi), 1e-10);
    // It moves up and down and does nothing else; the largest displacement is a characteristic length.
    EXPECT_NEAR(std::abs(mode.shape[0].translation.z()), modes.length, 1e-9);
    EXPECT_LT(mode.shape[0].translation.head(2).norm() + mode.shape[0].rotation.norm(), 1e-9);
  }
}

// --- shapes ---

TEST(Modes, ShapesOfADoublePendulum) {
  const Modes modes = find_modes(shipped("double-pendulum", {{"theta1", "-90 deg"}, {"theta2", "-90 deg"}}));
  ASSERT_TRUE(modes.ok) << modes.failure;
  ASSERT_EQ(modes.modes.size(), 2u);
  EXPECT_EQ(modes.verdict, "marginal: 2 undamped oscillations");
  for (const Mode& mode : modes.modes) {
    // (K - w^2 M) (upper, lower) = 0 in absolute angles
    const double w2 = std::norm(mode.eigenvalue);
    const double ratio = (1.5 * 9.81 - 4.0 / 3 * w2) / (0.5 * w2);
    const Complex upper = mode.shape[0].rotation.z(), lower = mode.shape[1].rotation.z();
    EXPECT_LT(std::abs(lower / upper - ratio), 1e-9);
    const double sideways = std::abs(mode.shape[1].translation.x()) / modes.length;
    EXPECT_NEAR(std::max({std::abs(upper), std::abs(lower), sideways}), 1, 1e-9);
    // Centres swing sideways: half a length from the hinge, and from the upper rod's end.
    EXPECT_LT(std::abs(mode.shape[0].translation.x() - 0.5 * upper), 1e-9);
    EXPECT_LT(std::abs(mode.shape[1].translation.x() - (upper + 0.5 * lower)), 1e-9);
    EXPECT_LT(std::abs(mode.shape[1].translation.y()), 1e-9);
  }
}

TEST(Modes, TheSameWhateverTheOrderOfBodiesAndTheCoordinates) {
  const std::string upper = "upper: {rod: [[0, 0], [0.3, -1]], mass: 1}",
                    lower = "lower: {rod: [[0.3, -1], [0.3, -2]], mass: 2}";
  const std::string rest =
      "joints: {A: {type: revolute, bodies: [ground, upper], at: [0, 0]}, B: {type: revolute, bodies: [lower, upper], "
      "at: [0.3, -1]}}\n"
      "forces: {s: {type: spring, between: [[ground, [1, -2]], [lower, [0.3, -2]]], stiffness: 30, damping: 1}}\n";
  const std::string head = "dimension: planar\nbodies: {";
  const ModesOptions free{.at = ModesOptions::At::equilibrium, .independent = {}};
  const ModesOptions named{.at = ModesOptions::At::equilibrium, .independent = {"B", "upper.angle"}};
  const Modes one = find_modes(written(head + upper + ", " + lower + "}\n" + rest), free);
  const Modes two = find_modes(written(head + lower + ", " + upper + "}\n" + rest), named);
  ASSERT_TRUE(one.ok && two.ok) << one.failure << two.failure;
  ASSERT_EQ(one.modes.size(), two.modes.size());
  for (std::size_t k = 0; k < one.modes.size(); ++k)
    EXPECT_LT(std::abs(one.modes[k].eigenvalue - two.modes[k].eigenvalue), 1e-8) << k;
  EXPECT_EQ(one.stability, MotionStability::asymptotic);
}

// --- zero eigenvalues and verdicts ---

TEST(Modes, DefectiveZerosAreCountedAsZeros) {
  // Two carts coupled by a spring on a rail: one pair of zeros, one frequency sqrt(k (1/m1 + 1/m2)).
  const Modes modes =
      find_modes(written("dimension: planar\nbodies: {a: {mass: 2, inertia: 1, center: [0, 0]}, b: {mass: 3, inertia: "
                         "1, center: [1, 0]}}\n"
                         "joints:\n  A: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
                         "  B: {type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0]}\n"
                         "forces: {s: {type: spring, between: [[a, [0, 0]], [b, [1, 0]]], stiffness: 600}}\n"));
  ASSERT_TRUE(modes.ok) << modes.failure;
  EXPECT_EQ(modes.zero_eigenvalues, 2);
  ASSERT_EQ(modes.modes.size(), 1u);
  EXPECT_NEAR(modes.modes[0].eigenvalue.imag(), std::sqrt(600 * (1.0 / 2 + 1.0 / 3)), 1e-10);
  EXPECT_EQ(modes.stability, MotionStability::marginal);
  EXPECT_EQ(modes.verdict,
            "marginal: 1 undamped oscillation; 2 zero eigenvalues from 1 coordinate that nothing restores, along which "
            "a disturbance drifts on");
  ASSERT_EQ(modes.unrestored.size(), 1u);  // both carts together
  EXPECT_LT(std::abs(modes.unrestored[0].shape[0].translation.x() - modes.unrestored[0].shape[1].translation.x()),
            1e-10);
}

TEST(Modes, ASlowModeBesideAStiffOneIsNotZero) {
  // 1e6 rad/s against 10 rad/s.
  const Modes modes = find_modes(written(
      "dimension: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 1, center: [0, 0]}, b: {mass: 1, inertia: 1, "
      "center: [1, 0]}}\njoints:\n  A: {type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}\n"
      "  B: {type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0]}\n"
      "forces:\n  stiff: {type: rotational_spring, joint: A, stiffness: 1e10}\n"
      "  soft: {type: rotational_spring, joint: B, stiffness: 100}\n"));
  ASSERT_TRUE(modes.ok) << modes.failure;
  ASSERT_EQ(modes.modes.size(), 2u);
  EXPECT_NEAR(modes.modes[0].eigenvalue.imag(), 10, 1e-6);
  EXPECT_NEAR(modes.modes[1].eigenvalue.imag(), 1e5, 1e-5);
}

TEST(Modes, GearTrainsHaveSpeedsAlone) {
  const double n = -2.5, M = 0.3 + n * n * 0.2, C = 0.7 + n * n * 0.1;
  const Modes modes = find_modes(
      written("dimension: planar\nbodies: {a: {mass: 1, inertia: 0.3, center: [0, 0]}, b: {mass: 1, inertia: 0.2, "
              "center: [1, 0]}}\njoints:\n  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
              "  B: {type: revolute, bodies: [ground, b], at: [1, 0]}\n  G: {type: gear, joints: [A, B], ratio: -2.5}\n"
              "forces:\n  motor: {type: actuator, joint: A, value: \"14 - 0.7*rate(A)\"}\n"
              "  load: {type: actuator, joint: B, value: \"-0.1*rate(B)\"}\n"
              "initial: {velocities: {A: 14/(0.7 + 0.1*6.25)}}\n"),
      {.at = ModesOptions::At::start, .independent = {"A"}});
  ASSERT_TRUE(modes.ok) << modes.failure;
  EXPECT_TRUE(modes.linear.steady);
  ASSERT_EQ(modes.speed_eigenvalues.size(), 1u);
  EXPECT_NEAR(modes.speed_eigenvalues[0].real(), -C / M, 1e-12);
  EXPECT_EQ(modes.zero_eigenvalues, 1);
  EXPECT_EQ(modes.verdict,
            "marginal: 1 zero eigenvalue from 1 coordinate that nothing restores; everything else decays");
}

TEST(Modes, AnUprightPendulumIsUnstableAndFindsItsEquilibrium) {
  const auto model = shipped("pendulum", {{"theta0", "90 deg"}});
  const Modes upright = find_modes(model);
  ASSERT_TRUE(upright.ok) << upright.failure;
  EXPECT_EQ(upright.stability, MotionStability::unstable);
  const double w = std::sqrt(49 / 2.6);
  EXPECT_LT(distance(upright, w), 1e-10);
  const Modes hanging = find_modes(shipped("pendulum"), {.at = ModesOptions::At::equilibrium, .independent = {}});
  ASSERT_TRUE(hanging.ok) << hanging.failure;
  EXPECT_EQ(hanging.stability, MotionStability::marginal);
  EXPECT_LT(distance(hanging, {0, w}), 1e-8);
}

TEST(Modes, NothingToMove) {
  const Modes modes = find_modes(shipped("driven-slider-crank"));
  ASSERT_TRUE(modes.ok) << modes.failure;
  EXPECT_TRUE(modes.modes.empty());
  EXPECT_EQ(modes.linear.speeds, 0);
  EXPECT_EQ(modes.verdict, "no degree of freedom is left");
}

}  // namespace modes_test
}  // namespace bricard

#include "analyses/linear/linearization.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bricard/input_error.h"
#include "support/linearized.h"
#include "testing/differentiate.h"

namespace bricard {
namespace linearization_test {

using testing_support::Complex;
using testing_support::distance_to_spectrum;
using testing_support::linearized;
using testing_support::linearized_file;
using testing_support::relative_difference;

Matrix matrix2(double a, double b, double c, double d) {
  Matrix result(2, 2);
  result << a, b, c, d;
  return result;
}

bool contains(const std::vector<std::string>& messages, const std::string& part) {
  return std::any_of(messages.begin(), messages.end(),
                     [&](const std::string& message) { return message.find(part) != std::string::npos; });
}

// --- holonomic models with textbook matrices ---

TEST(Linearization, PendulumHangingHasItsTextbookMatrices) {
  const Linearization linear = linearized_file("pendulum", {{"theta0", "-90 deg"}}, {"A"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  EXPECT_NEAR(linear.M(0, 0), 0.1 + 10 * 0.25, 1e-14);
  EXPECT_NEAR(linear.C(0, 0), 0, 1e-12);
  EXPECT_NEAR(linear.K(0, 0), 10 * 9.8 * 0.5, 1e-10);
  EXPECT_TRUE(linear.steady);
  EXPECT_TRUE(linear.messages.empty());
  EXPECT_EQ(linear.names, std::vector<std::string>{"A.angle"});
  EXPECT_LT(linear.derivative_error, 1e-10);
  EXPECT_LT(distance_to_spectrum(linear, Complex(0, std::sqrt(49 / 2.6))), 1e-12);
}

TEST(Linearization, APendulumHeldAsideIsNoEquilibrium) {
  const Linearization linear = linearized_file("pendulum", {{"theta0", "-60 deg"}}, {"pendulum.angle"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  EXPECT_NEAR(linear.K(0, 0), 49 * std::sin(std::numbers::pi / 3), 1e-10);  // d/d angle of m g L cos(angle)
  EXPECT_FALSE(linear.steady);
  EXPECT_TRUE(contains(linear.messages, "frozen at this instant"));
}

TEST(Linearization, DampedPendulum) {
  const Linearization linear = linearized(
      "dimension: planar\nbodies: {b: {rod: [[0, 0], [0, -2]], mass: 3}}\n"
      "joints: {A: {type: revolute, bodies: [ground, b], at: [0, 0], friction: {viscous: 0.25}}}\n"
      "forces: {coil: {type: rotational_spring, joint: A, stiffness: 7, damping: 1.5}}\n",
      {"A"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  EXPECT_NEAR(linear.M(0, 0), 4, 1e-13);
  EXPECT_NEAR(linear.C(0, 0), 1.75, 1e-13);
  EXPECT_NEAR(linear.K(0, 0), 7 + 3 * 9.81, 1e-10);
  const double c = 1.75 / 8, w2 = (7 + 3 * 9.81) / 4;
  EXPECT_LT(distance_to_spectrum(linear, Complex(-c, std::sqrt(w2 - c * c))), 1e-12);
}

// m = L = 1: M(d) = [4/3, cos d/2; cos d/2, 1/3], d = a1 - a2, in the absolute angles a1, a2.
TEST(Linearization, DoublePendulumHangingInAnyCoordinates) {
  const std::map<std::string, std::string> hanging = {{"theta1", "-90 deg"}, {"theta2", "-90 deg"}};
  const Matrix M = matrix2(4.0 / 3, 0.5, 0.5, 1.0 / 3), K = matrix2(1.5 * 9.81, 0, 0, 0.5 * 9.81);
  const Matrix T = matrix2(1, 0, 1, 1);  // absolute angles of joint angles
  const Linearization absolute = linearized_file("double-pendulum", hanging, {"upper.angle", "lower.angle"});
  const Linearization relative = linearized_file("double-pendulum", hanging, {"A", "B.angle"});
  const Linearization free = linearized_file("double-pendulum", hanging);
  ASSERT_TRUE(absolute.ok && relative.ok && free.ok);
  EXPECT_LT(relative_difference(absolute.M, M), 1e-13);
  EXPECT_LT(relative_difference(absolute.K, K), 1e-12);
  EXPECT_LT(relative_difference(relative.M, T.transpose() * M * T), 1e-13);
  EXPECT_LT(relative_difference(relative.K, T.transpose() * K * T), 1e-12);
  // det(K - w^2 M) = 0
  const double g = 9.81, a = 7.0 / 36, b = -(4.0 / 3 * 0.5 + 1.5 / 3) * g, c = 0.75 * g * g;
  for (double sign : {-1.0, 1.0}) {
    const double w = std::sqrt((-b + sign * std::sqrt(b * b - 4 * a * c)) / (2 * a));
    for (const Linearization* linear : {&absolute, &relative, &free})
      EXPECT_LT(distance_to_spectrum(*linear, Complex(0, w)), 1e-11) << w;
  }
}

TEST(Linearization, DoublePendulumInFullMotion) {
  const double a1 = -1.1, a2 = -0.2, w1 = 2.5, w2 = -1.5, g = 9.81;
  const auto model = load_text(
      "bricard: 1\ndimension: planar\npoints: {A: [0, 0], B: [1, 0], C: [2, 0]}\n"
      "bodies: {upper: {rod: [A, B], mass: 1}, lower: {rod: [B, C], mass: 1}}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, upper], at: A}\n"
      "  B: {type: revolute, bodies: [upper, lower], at: B}\n"
      "initial:\n  positions: {A: -1.1, B: 0.9}\n  velocities: {A: 2.5, B: -4}\n",
      "test");
  const Linearization linear = linearized(model, {"upper.angle", "lower.angle"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  // M a + h = 0,  h = (s/2 w2^2 + 3/2 g cos a1, -s/2 w1^2 + 1/2 g cos a2),  s = sin(a1 - a2)
  const double s = std::sin(a1 - a2), c = std::cos(a1 - a2);
  const Matrix M = matrix2(4.0 / 3, c / 2, c / 2, 1.0 / 3);
  const Eigen::Vector2d h(s / 2 * w2 * w2 + 1.5 * g * std::cos(a1), -s / 2 * w1 * w1 + 0.5 * g * std::cos(a2));
  const Vector a = -M.inverse() * h;
  Matrix K(2, 2);
  K.col(0) << -s / 2 * a[1] + c / 2 * w2 * w2 - 1.5 * g * std::sin(a1), -s / 2 * a[0] - c / 2 * w1 * w1;
  K.col(1) << s / 2 * a[1] - c / 2 * w2 * w2, s / 2 * a[0] + c / 2 * w1 * w1 - 0.5 * g * std::sin(a2);
  EXPECT_LT(relative_difference(linear.M, M), 1e-13);
  EXPECT_LT(relative_difference(linear.C, matrix2(0, s * w2, -s * w1, 0)), 1e-12);
  EXPECT_LT(relative_difference(linear.K, K), 1e-11);
  EXPECT_NEAR(linear.acceleration[2], a[0], 1e-12);
  EXPECT_FALSE(linear.steady);
}

TEST(Linearization, RedundantParallelogramIsOnePendulum) {
  // Three cranks of mass 1 and length 1, platform of mass 3, in motion.
  for (const double degrees : {60.0, -90.0, -20.0}) {
    const double theta = degrees * std::numbers::pi / 180, M = 3.0 / 3 + 3, K = -(3.0 / 2 + 3) * 9.81 * std::sin(theta);
    const std::map<std::string, std::string> start = {{"theta", std::to_string(degrees) + " deg"}};
    const Linearization chosen = linearized_file("parallelogram-3", start, {"A2"});
    ASSERT_TRUE(chosen.ok) << chosen.failure;
    EXPECT_NEAR(chosen.M(0, 0), M, 1e-12);
    EXPECT_NEAR(chosen.C(0, 0), 0, 1e-10);
    EXPECT_NEAR(chosen.K(0, 0), K, 1e-9);
    const Linearization free = linearized_file("parallelogram-3", start);
    ASSERT_TRUE(free.ok) << free.failure;
    EXPECT_LT(distance_to_spectrum(free, std::sqrt(Complex(-K / M))), 1e-9);
  }
}

TEST(Linearization, GearedShaftsKeepTwelveDigitsOfDamping) {
  // Reduced to shaft A: M = J1 + n^2 J2, C = c1 + n^2 c2 with torques linear in the speeds.
  const double n = -2.7;
  const Linearization linear = linearized(
      "dimension: planar\nbodies:\n  a: {mass: 1, inertia: 0.013, center: [0, 0]}\n"
      "  b: {mass: 2, inertia: 0.47, center: [1, 0]}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, a], at: [0, 0]}\n"
      "  B: {type: revolute, bodies: [ground, b], at: [1, 0]}\n  G: {type: gear, joints: [A, B], ratio: -2.7}\n"
      "forces:\n  motor: {type: actuator, joint: A, value: \"37 - 0.21*rate(A)\"}\n"
      "  load: {type: actuator, joint: B, value: \"11 - 0.033*rate(B)\"}\n"
      "initial: {velocities: {A: 150}}\n",
      {"a.angle"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  EXPECT_NEAR(linear.M(0, 0), 0.013 + n * n * 0.47, 1e-14);
  EXPECT_NEAR(linear.C(0, 0), 0.21 + n * n * 0.033, 2e-14);
  EXPECT_NEAR(linear.K(0, 0), 0, 1e-9);  // of terms of 7e4
}

// --- steady motions ---

std::string sleeping_top(double w) {
  return "bodies: {top: {mass: 2, inertia: [0.02, 0.02, 0.03], center: [0, 0, 0.2]}}\n"
         "joints: {O: {type: spherical, bodies: [ground, top], at: [0, 0, 0]}}\n"
         "initial: {velocities: {top: {angular: [0, 0, " +
         std::to_string(w) + "]}}}\n";
}

TEST(Linearization, SleepingTopIsStableAboveItsCriticalSpin) {
  const double A = 0.02 + 2 * 0.04, C = 0.03, mgl = 2 * 9.81 * 0.2;
  const double critical = std::sqrt(4 * A * mgl) / C;
  for (const double w : {60.0, 20.0}) {
    // A u'' - i C w u' - m g l u = 0 for u = lean_x + i lean_y
    const Complex root = std::sqrt(Complex(4 * A * mgl - C * C * w * w));
    const Linearization linear = linearized(sleeping_top(w));
    ASSERT_TRUE(linear.ok) << linear.failure;
    EXPECT_TRUE(linear.steady);
    EXPECT_EQ(linear.displacements, 3);
    double largest = -1;
    for (const double sign : {-1.0, 1.0}) {
      const Complex eigenvalue = (Complex(0, C * w) + sign * root) / (2 * A);
      EXPECT_LT(distance_to_spectrum(linear, eigenvalue), 1e-10) << w;
      EXPECT_LT(distance_to_spectrum(linear, std::conj(eigenvalue)), 1e-10) << w;
      largest = std::max(largest, eigenvalue.real());
    }
    EXPECT_EQ(largest<1e-12, w> critical);
  }
}

TEST(Linearization, SteadyPrecessionIsSeenFromAxesThatTurnWithIt) {
  // The model's own closed form of small nutations.
  const double A = 0.01 / 4 + 0.04, mgl = 9.81 * 0.2, precession = 3, c = std::cos(std::numbers::pi / 6);
  const double nutation = std::sqrt(precession * precession - 2 * mgl / A * c + std::pow(mgl / (A * precession), 2));
  const Linearization linear = linearized_file("spinning-top");
  ASSERT_TRUE(linear.ok) << linear.failure;
  EXPECT_TRUE(linear.steady);
  EXPECT_NEAR(linear.turning.z(), precession, 1e-9);
  EXPECT_LT(distance_to_spectrum(linear, Complex(0, nutation)), 1e-9);
  EXPECT_FALSE(linearized_file("spinning-top", {{"kick", "0.5"}}).steady);
}

TEST(Linearization, PendulumOnADrivenTurningAxis) {
  // Thin rod: angle'' = W^2 sin cos - 3 g/(2 L) sin; aside at cos = 3 g/(2 L W^2) it swings with W sin.
  const double L = 1.2, W = 5, cosine = 3 * 9.81 / (2 * L * W * W), sine = std::sqrt(1 - cosine * cosine);
  const auto text = [&](double c, double s) {
    const std::string tip = fmt::format("[{:.17g}, 0, {:.17g}]", L * s, -L * c);
    return "bodies:\n  hub: {mass: 1, inertia: [0.1, 0.2, 0.3], center: [0, 0, 0]}\n  rod: {rod: [[0, 0, 0], " + tip +
           "], mass: 2}\njoints:\n  axle: {type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n"
           "  hinge: {type: revolute, bodies: [hub, rod], at: [0, 0, 0], axis: [0, -1, 0]}\n"
           "motions: {turn: {joint: axle, position: 5*t}}\n";
  };
  for (const auto& independent : {std::vector<std::string>{}, std::vector<std::string>{"hinge"}}) {
    const Linearization aside = linearized(text(cosine, sine), independent);
    ASSERT_TRUE(aside.ok) << aside.failure;
    EXPECT_TRUE(aside.steady);
    EXPECT_EQ(aside.speeds, 1);
    EXPECT_LT(distance_to_spectrum(aside, Complex(0, W * sine)), 1e-10);
    const Linearization below = linearized(text(1, 0), independent);
    ASSERT_TRUE(below.ok) << below.failure;
    EXPECT_TRUE(below.steady);
    EXPECT_LT(distance_to_spectrum(below, Complex(std::sqrt(W * W - 3 * 9.81 / (2 * L)))), 1e-10);
  }
}

TEST(Linearization, UprightRollingDisc) {
  for (const double w : {8.0, 2.0}) {
    const Linearization linear = linearized_file("rolling-wheel", {{"kick", "0"}, {"w", std::to_string(w)}});
    ASSERT_TRUE(linear.ok) << linear.failure;
    EXPECT_TRUE(linear.steady);
    EXPECT_EQ(linear.displacements, 5);
    EXPECT_EQ(linear.speeds, 3);
    const Complex lean = std::sqrt(Complex(0.8 * 9.81 / 0.3 - 2.4 * w * w));
    EXPECT_LT(distance_to_spectrum(linear, lean), 1e-10) << w;
    EXPECT_LT(distance_to_spectrum(linear, -lean), 1e-10) << w;
  }
}

TEST(Linearization, RunningInACircleIsSteady) {
  // The model's closed form M v' = m a w^2, J w' = -m a v w with a = 0: nothing restores, nothing grows.
  const Linearization circle = linearized_file("two-wheeled-cart");
  ASSERT_TRUE(circle.ok) << circle.failure;
  EXPECT_TRUE(circle.steady);
  EXPECT_NEAR(circle.turning.z(), 2, 1e-9);
  // What is left of the spectrum are the turns of the circle itself, +-2i, and zeros.
  for (const Complex& eigenvalue : circle.A.eigenvalues())
    EXPECT_LT(std::min(std::abs(eigenvalue), std::abs(std::abs(eigenvalue.imag()) - 2)), 1e-5) << eigenvalue;
  // Straight ahead with the centre of mass ahead of the axle: w' = -m a v/J w.
  const Linearization straight = linearized_file("two-wheeled-cart", {{"a", "0.2"}, {"w0", "0"}});
  ASSERT_TRUE(straight.ok) << straight.failure;
  EXPECT_TRUE(straight.steady);
  const double J = 0.4 + 10 * 0.04 + 2 * (0.0625 + 0.0025) + 2 * 0.005 * 0.0625 / 0.01;
  EXPECT_LT(distance_to_spectrum(straight, -10 * 0.2 * 1 / J), 1e-10);
}

TEST(Linearization, ADriveThatAcceleratesIsNotSteady) {
  const std::string text =
      "dimension: planar\nbodies: {b: {rod: [[0, 0], [0, -1]], mass: 1}, s: {mass: 1, inertia: 1, center: [0, 0]}}\n"
      "joints:\n  S: {type: prismatic, bodies: [ground, s], at: [0, 0], axis: [1, 0]}\n"
      "  A: {type: revolute, bodies: [s, b], at: [0, 0]}\ninitial: {velocities: {A: 0}}\n";
  EXPECT_TRUE(linearized(text + "motions: {m: {joint: S, position: 0.2*t}}\n").steady);
  EXPECT_FALSE(linearized(text + "motions: {m: {joint: S, position: 0.2*t^2}}\n").steady);
  EXPECT_FALSE(linearized(text + "motions: {m: {joint: S, position: 0.2*t^3}}\n").steady);  // only a moment later
}

// --- friction ---

TEST(Linearization, BristlesOfDahlFrictionAreSpringsAtRest) {
  const Linearization linear = linearized(
      "dimension: planar\nbodies: {b: {rod: [[0, 0], [0, -2]], mass: 3}}\n"
      "joints: {A: {type: revolute, bodies: [ground, b], at: [0, 0], friction: {dahl: {stiffness: 40, limit: 5}}}}\n",
      {"A"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  EXPECT_EQ(linear.states, 1);
  EXPECT_NEAR(linear.N(0, 0), 1, 1e-12);
  EXPECT_NEAR(linear.A(2, 1), 40, 1e-10);
  EXPECT_LT(distance_to_spectrum(linear, Complex(0, std::sqrt((40 + 3 * 9.81) / 4))), 1e-10);
  EXPECT_LT(distance_to_spectrum(linear, 0), 1e-10);
  EXPECT_TRUE(linear.steady);
}

/// Pendulum of mass m, centre at l, inertia J about the hinge: J a = -m g l sin(x) - mu r N tanh(w/w0), N the size of
/// the hinge force, which depends on a.
double slowed_pendulum(double x, double w) {
  const double m = 3, l = 1, J = 4, g = 9.81, mu = 0.3, r = 0.1, w0 = 0.5;
  double a = 0;
  for (int iteration = 0; iteration < 500; ++iteration) {
    const double along = m * g * std::cos(x) + m * l * w * w, across = m * g * std::sin(x) + m * l * a;
    a = (-m * g * l * std::sin(x) - mu * r * std::hypot(along, across) * std::tanh(w / w0)) / J;
  }
  return a;
}

TEST(Linearization, FrictionFollowsTheLoadOfItsJoint) {
  const Linearization linear = linearized(
      "dimension: planar\nbodies: {b: {rod: [[0, 0], [0, -2]], mass: 3}}\n"
      "joints: {A: {type: revolute, bodies: [ground, b], at: [0, 0], friction: {coulomb: 0.3, radius: 0.1, smoothing: "
      "0.5}}}\ninitial: {positions: {A: 0.7}, velocities: {A: 0.6}}\n",
      {"A"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  const auto along = [&](double x, double w) {
    return testing_support::differentiate(
        [=](double s) { return Vector::Constant(1, slowed_pendulum(0.7 + x * s, 0.6 + w * s)); })[0];
  };
  EXPECT_NEAR(linear.acceleration[2], slowed_pendulum(0.7, 0.6), 1e-11);
  EXPECT_NEAR(linear.A(1, 0), along(1, 0), 1e-9);
  EXPECT_NEAR(linear.A(1, 1), along(0, 1), 1e-9);
}

// A horizontal rod of 1 m and 1 kg on a bearing whose friction has the arm mu r = 2.5 m.
std::string rod_on_a_bearing(int rate) {
  return "dimension: planar\nbodies: {rod: {rod: [[0, 0], [1, 0]], mass: 1}}\n"
         "joints: {A: {type: revolute, bodies: [ground, rod], at: [0, 0], friction: {coulomb: 2.5, radius: 1, "
         "smoothing: "
         "1e-2}}}\ninitial: {velocities: {A: " +
         std::to_string(rate) + "}}\n";
}

TEST(Linearization, LoadsThatFrictionRelievesAreFoundWhereRepetitionDiverges) {
  const Linearization linear = linearized(rod_on_a_bearing(1), {"A"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  // n^2 = x^2 + (y - c n)^2 with x = w^2 l/2, y = g/4, c = 1.5 mu r / l: the root that grows out of the frictionless
  // load.
  const double g = 9.81, c = 1.5 * 2.5, x = 0.5, y = g / 4;
  const double n = (c * y - std::sqrt(c * c * y * y - (c * c - 1) * (x * x + y * y))) / (c * c - 1);
  EXPECT_NEAR(linear.acceleration[2], -3 * (g / 2 + 2.5 * n), 1e-9);
}

TEST(Linearization, NamesAJointThatIsSelfLocking) {
  const Linearization linear = linearized(rod_on_a_bearing(-1), {"A"});
  EXPECT_FALSE(linear.ok);
  EXPECT_NE(linear.failure.find("friction of joint A is so large that the joint is self-locking"), std::string::npos)
      << linear.failure;
}

TEST(Linearization, SaysThatLoadsAreNotUniqueForFriction) {
  std::string text =
      "dimension: planar\npoints: {A: [0, 0], B: [0, -1], C: [1, 0], D: [1, -1], E: [2, 0], F: [2, -1]}\n"
      "bodies: {a: {rod: [A, B], mass: 1}, c: {rod: [C, D], mass: 1}, e: {rod: [E, F], mass: 1}, p: {rod: [B, F], "
      "mass: "
      "1}}\njoints:\n";
  for (const char* joint : {"A", "C", "E"})
    text += fmt::format(
        "  {}: {{type: revolute, bodies: [ground, {}], at: {}, friction: {{coulomb: 0.1, radius: "
        "0.01}}}}\n",
        joint, static_cast<char>(std::tolower(joint[0])), joint);
  text +=
      "  B: {type: revolute, bodies: [a, p], at: B}\n  D: {type: revolute, bodies: [c, p], at: D}\n"
      "  F: {type: revolute, bodies: [e, p], at: F}\n";
  const Linearization linear = linearized(text, {"A"});
  ASSERT_TRUE(linear.ok) << linear.failure;
  EXPECT_TRUE(contains(linear.messages, "left out"));
}

// --- what cannot be linearised ---

TEST(Linearization, RefusesSingularPositions) {
  // A parallelogram folded flat: two ways to go on.
  const Linearization linear = linearized(
      "dimension: planar\npoints: {A: [0, 0], B: [1, 0], C: [3, 0], D: [2, 0]}\n"
      "bodies: {a: {rod: [A, B], mass: 1}, b: {rod: [B, C], mass: 1}, c: {rod: [D, C], mass: 1}}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, a], at: A}\n  B: {type: revolute, bodies: [a, b], at: B}\n"
      "  C: {type: revolute, bodies: [b, c], at: C}\n  D: {type: revolute, bodies: [ground, c], at: D}\n");
  EXPECT_FALSE(linear.ok);
  EXPECT_NE(linear.failure.find("singular"), std::string::npos) << linear.failure;
}

TEST(Linearization, RefusesMotionsWithoutInertia) {
  const Linearization linear = linearized("bodies: {rod: {rod: [[0, 0, 0], [1, 0, 0]], mass: 1}}\n");
  EXPECT_FALSE(linear.ok);
  EXPECT_NE(linear.failure.find("inertia"), std::string::npos) << linear.failure;
}

std::string complaint(const std::string& file, const std::vector<std::string>& independent) {
  try {
    linearized_file(file, {}, independent);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Linearization, ComplainsOfIndependentCoordinatesThatDoNotFit) {
  EXPECT_NE(complaint("double-pendulum", {"upper.angel", "B"}).find("'upper.angle'"), std::string::npos);
  EXPECT_NE(complaint("double-pendulum", {"A"}).find("2 independent coordinates are needed, 1 given"),
            std::string::npos);
  EXPECT_NE(complaint("double-pendulum", {"A", "A.angle"}).find("twice"), std::string::npos);
  EXPECT_NE(complaint("double-pendulum", {"A", "upper.angle"}).find("do not determine the motion"), std::string::npos);
  EXPECT_NE(complaint("whipple-bicycle", {"steer", "rear-hub", "front-hub"}).find("velocity-level"), std::string::npos);
}

}  // namespace linearization_test
}  // namespace bricard

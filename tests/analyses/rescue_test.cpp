// Rescue is a choice, and divergence a failure. A parallelogram that turns over passes flat positions, where it might
// become an antiparallelogram; its coupler moves in a circle without turning, so that the crank's angle is that of a
// pendulum:   (I_a + I_b + m_c a^2) theta'' = -g (m_a a/2 + m_b a/2 + m_c a) cos(theta)
#include "reference/reference.h"

namespace bricard::testing_support {
namespace rescue_test {

std::shared_ptr<const Model> parallelogram(const std::string& more = "") {
  return load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n"
      "bodies:\n"
      "  crank: {mass: 1, inertia: 0.1, center: [0.25, 0.4330127018922193]}\n"
      "  coupler: {mass: 2, inertia: 0.7, center: [1.5, 0.8660254037844386]}\n"
      "  rocker: {mass: 1, inertia: 0.1, center: [2.25, 0.4330127018922193]}\n"
      "joints:\n"
      "  A: {type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
      "  B: {type: revolute, bodies: [crank, coupler], at: [0.5, 0.8660254037844386]}\n"
      "  C: {type: revolute, bodies: [coupler, rocker], at: [2.5, 0.8660254037844386]}\n"
      "  D: {type: revolute, bodies: [rocker, ground], at: [2, 0]}\n"
      "initial: {velocities: {A: 3}}\n" +
          more,
      "parallelogram");
}

/// What the crank has turned by.
double exact_angle(double duration) {
  constexpr double inertia = 2 * (0.1 + 0.25) + 2, weight = 9.81 * (0.5 + 0.5 + 2), h = 1e-4;
  const auto rate = [](double theta) { return -weight / inertia * std::cos(theta); };
  const double start = std::acos(-1.0) / 3;
  double theta = start, omega = 3;
  for (long step = 0; step < std::lround(duration / h); ++step) {
    const double k1 = rate(theta), k2 = rate(theta + h / 2 * omega), k3 = rate(theta + h / 2 * (omega + h / 2 * k1)),
                 k4 = rate(theta + h * (omega + h / 2 * k2));
    theta += h * omega + h * h / 6 * (k1 + k2 + k3);
    omega += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return theta - start;
}

Method by(const std::string& formulation, const std::string& rescue, double tolerance) {
  Method method = accurate(5, 0.05, tolerance);
  method.formulation = formulation, method.rescue = rescue;
  return method;
}

TEST(Rescue, IsNamedWithItsTimeAndOnlyGivenWhenOn) {
  int rescued = 0, failed = 0;
  for (const char* formulation : {"lagrange", "lagrange-block", "nullspace-qr", "nullspace-svd", "recursive"}) {
    for (const double tolerance : {1e-7, 1e-9, 1e-10}) {
      SCOPED_TRACE(formulation + std::to_string(tolerance));
      const SimulationResult on = simulate(parallelogram(), by(formulation, "on", tolerance));
      for (const Rescue& rescue : on.summary.rescues) {
        EXPECT_GT(rescue.time, 0);
        EXPECT_LE(rescue.time, 5);
        EXPECT_GT(rescue.what.size(), 20U);
      }
      rescued += !on.summary.rescues.empty();
      if (on.ok()) {
        EXPECT_NEAR(value_at(on, 5, "A.angle"), exact_angle(5), 1e4 * tolerance);
      }
      const SimulationResult off = simulate(parallelogram(), by(formulation, "off", tolerance));
      EXPECT_TRUE(off.summary.rescues.empty());
      EXPECT_EQ(off.summary.dynamics.find("; from"), std::string::npos);
      // What needed help fails without, or takes its chance; what needed none is the same run.
      if (on.summary.rescues.empty()) {
        EXPECT_EQ(off.ok(), on.ok());
        EXPECT_EQ(off.summary.evaluations, on.summary.evaluations);
        EXPECT_EQ(off.summary.final, on.summary.final);
      }
      failed += !off.ok();
    }
  }
  EXPECT_GT(rescued, 0);
  EXPECT_GT(failed, 0);
}

TEST(Rescue, NeverReplacesAFormulationThatWasNamed) {
  for (const char* formulation : {"lagrange", "nullspace-putd", "augmented-lagrangian"}) {
    for (const char* dynamics : {"auto", "whole"}) {
      Method method = by(formulation, "on", 1e-11);
      method.dynamics = dynamics;
      const SimulationResult result = simulate(parallelogram(), method);
      EXPECT_EQ(result.summary.chosen.method.formulation, formulation);
      for (const Rescue& rescue : result.summary.rescues)
        EXPECT_EQ(rescue.what.find("pseudoinverse"), std::string::npos) << rescue.what;
    }
  }
}

TEST(Rescue, AnEngineThatWasAskedForStays) {
  Method method = by("lagrange", "on", 1e-12);
  method.dynamics = "bodies";
  const SimulationResult result = simulate(parallelogram(), method);
  EXPECT_EQ(result.summary.dynamics, "bodies over the joint graph, 4 blocks");
}

TEST(Rescue, RankThresholdsAreRaisedOpenly) {
  Method method = accurate(0.1, 0.1, 1e-6);
  method.formulation = "nullspace-eigen";
  EXPECT_TRUE(run(parallelogram(), method).summary.rescues.empty());
  EXPECT_EQ(run(parallelogram(), method).summary.chosen.method.threshold, 1e-7);
  method.threshold = 1e-12;
  const SimulationResult raised = run(parallelogram(), method);
  ASSERT_EQ(raised.summary.rescues.size(), 1U);
  EXPECT_EQ(raised.summary.rescues[0].time, 0);
  EXPECT_NE(raised.summary.rescues[0].what.find("1e-07"), std::string::npos) << raised.summary.rescues[0].what;
  method.rescue = "off";
  EXPECT_TRUE(simulate(parallelogram(), method).summary.rescues.empty());
}

// --- divergence ---

void expect_divergence(const SimulationResult& result, const std::string& what) {
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("diverges"), std::string::npos) << result.summary.failure;
  EXPECT_NE(result.summary.failure.find(what), std::string::npos) << result.summary.failure;
  EXPECT_GT(result.data.rows.size(), 1U);
  EXPECT_LT(result.data.rows.back()[0], result.summary.chosen.method.duration);
}

// Fixed steps far too long for a stiff spring: the energy doubles from step to step.
TEST(Divergence, EnergyThatNothingPutIn) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\n"
      "bodies: {b: {mass: 2, inertia: 1, center: [1, 0]}}\n"
      "joints: {rail: {type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0]}}\n"
      "forces: {s: {type: spring, between: [[ground, [-1, 0]], [b, [1, 0]]], stiffness: 1e6, free_length: 1.9}}\n",
      "spring");
  Method method = accurate(1, 0.001);
  method.integrator = "rk4", method.step = 0.0041;  // stable up to 2.83 / omega = 0.0040 s
  expect_divergence(simulate(model, method), "energy has grown");
  // The largest energy that it can have is that of the start, 1/2 k 0.1^2 = 5000 J.
  const SimulationResult result = simulate(model, method);
  for (const Vector& row : result.data.rows) EXPECT_LT(row[result.data.index("energy.total")], 2 * 5000);
  method.step = 0.0005;
  EXPECT_TRUE(simulate(model, method).ok());
}

TEST(Divergence, ConstraintsThatComeApart) {
  // A rod on a pivot that nothing keeps there: the penalty is far too small for the weight.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n"
      "bodies: {b: {mass: 2, inertia: 0.2, center: [0.5, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, b], at: [0, 0]}}\n",
      "rod");
  Method method = accurate(3, 0.01, 1e-6);
  method.formulation = "penalty", method.stabilization = "none", method.penalty = 1e-4, method.omega = 0.1;
  expect_divergence(simulate(model, method), "A");
  method.penalty = 1e7, method.omega = 10;
  EXPECT_TRUE(simulate(model, method).ok());
}

// Drift that can be seen is what `none` is there to show.
TEST(Divergence, DriftThatCanBeSeenIsNone) {
  Method method = accurate(2, 0.05, 1e-3);
  method.stabilization = "none";
  const SimulationResult result = run(parallelogram(), method);
  EXPECT_GT(result.summary.constraint_position_max, 1e-5);
}

// A constraint in large numbers is not a large error.
TEST(Divergence, ConstraintsInOtherUnits) {
  for (const char* factor : {"1", "1e6", "1e-6"}) {
    const auto model = load_text(std::string("bricard: 1\ndimension: planar\ngravity: [0, -9.81]\n"
                                             "bodies: {b: {mass: 2, inertia: 0.2, center: [0.5, 0]}}\n"
                                             "joints: {A: {type: constraint, expression: ['") +
                                     factor + "*(x(b) - 0.5)', '" + factor + "*(y(b) - 0.5*(x(b) - 0.5))']}}\n",
                                 "scaled");
    Method method = accurate(2, 0.1, 1e-4);
    method.stabilization = "none", method.formulation = "lagrange";
    EXPECT_TRUE(simulate(model, method).ok()) << factor << simulate(model, method).summary.failure;
  }
}

TEST(Divergence, ThereIsNoMessageThatSaysDoNotTrust) {
  Method method = accurate(20, 0.1, 1e-8);
  method.formulation = "nullspace-svd", method.stabilization = "none";
  const SimulationResult result = simulate(shipped("five-bar"), method);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("energy"), std::string::npos) << result.summary.failure;
  for (const std::string& message : result.summary.messages) EXPECT_EQ(message.find("trust"), std::string::npos);
}

}  // namespace rescue_test
}  // namespace bricard::testing_support

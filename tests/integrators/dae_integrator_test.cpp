// Integrators of the constrained equations themselves: order, accuracy against references, redundant and velocity-level
// constraints, singular positions, stiffness.
#include "integrators/integrator.h"
#include "reference/reference.h"

namespace bricard::testing {
namespace {

Method by(const std::string& integrator, double duration, double output_step, double tolerance, double step = unset) {
  Method method = accurate(duration, output_step, tolerance);
  method.integrator = integrator;
  method.step = step;
  return method;
}

double pendulum_error(const Method& method) {
  return std::abs(value_at(run(load_model("pendulum"), method), 0.5, "pendulum.angle") + 1.962496192229884);
}

TEST(Alf3, IsOfSecondOrder) {
  const double coarse = pendulum_error(by("alf3", 0.5, 0.5, 1e-6, 2e-3));
  const double fine = pendulum_error(by("alf3", 0.5, 0.5, 1e-6, 1e-3));
  EXPECT_NEAR(coarse / fine, 4, 0.2);
  EXPECT_LT(fine, 1e-4);
}

TEST(Alf3, IsOfSecondOrderWithDamping) {
  Method method = by("alf3", 0.5, 0.5, 1e-6, 2e-3);
  method.spectral_radius = 0.8;
  const double coarse = pendulum_error(method);
  method.step = 1e-3;
  EXPECT_NEAR(coarse / pendulum_error(method), 4, 0.4);
}

TEST(Hht, ErrorFallsWithTheTolerance) {
  // Second order: the error of a run goes with the two thirds power of the tolerance of a step.
  const double coarse = pendulum_error(by("hht", 0.5, 0.5, 1e-5)), fine = pendulum_error(by("hht", 0.5, 0.5, 1e-8));
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(coarse / fine, 30);
  EXPECT_LT(fine, 1e-5);
}

TEST(Ida, ReachesTightTolerances) {
  EXPECT_LT(pendulum_error(by("ida", 0.5, 0.5, 1e-6)), 1e-4);
  EXPECT_LT(pendulum_error(by("ida", 0.5, 0.5, 1e-9)), 1e-7);
}

// Fast springs and a moving end: the reference solution of the test set.
TEST(Ida, CarAxis) {
  const SimulationResult result = run(load_model("car-axis"), by("ida", 3, 3, 1e-8));
  expect_table(result, read_table("car-axis"), {"left.x", "left.y", "right.x", "right.y"}, 1e-5);
}

class DaeIntegrator : public ::testing::TestWithParam<std::string> {
 protected:
  Method method(double duration, double tolerance) const {
    const bool fixed = find_integrator_type(GetParam())->fixed_step;
    return by(GetParam(), duration, duration, tolerance, fixed ? 5e-4 : unset);
  }
};

TEST_P(DaeIntegrator, AgreesWithAccelerationsAndKeepsTheConstraints) {
  struct Case {
    const char* model;
    double duration;
  };
  for (const Case& c : {Case{"four-bar", 0.3}, Case{"driven-slider-crank", 0.5}, Case{"knife-edge", 1},
                        Case{"rolling-coin", 0.5}, Case{"mcpherson", 1}, Case{"mcpherson-overconstrained", 1},
                        Case{"bennett", 0.5}, Case{"five-bar", 0.5}, Case{"friction-incline", 0.2}}) {
    SCOPED_TRACE(c.model);
    const auto model = load_model(c.model);
    const std::string body = model->bodies.back().name;
    const SimulationResult expected = run(model, accurate(c.duration, c.duration, 1e-10));
    const SimulationResult result = run(model, method(c.duration, 1e-8));
    for (const std::string column : {".x", ".y", ".vx", ".vy"}) {
      const double value = expected.data.at(1, body + column);
      expect_close(body + column, result.data.at(1, body + column), value, 2e-4 * (1 + std::abs(value)));
    }
    EXPECT_LT(result.summary.constraint_position_max, 1e-9);
    EXPECT_LT(result.summary.constraint_velocity_max, 1e-9);
    EXPECT_EQ(result.summary.chosen.method.stabilization, "none");
  }
}

TEST_P(DaeIntegrator, TakesNoStabilisationAndNoStateOfAnotherKind) {
  Method wanted = method(1, 1e-6);
  wanted.stabilization = "projection";
  EXPECT_THROW(simulate(load_model("four-bar"), wanted), InputError);
  wanted.stabilization = "auto", wanted.formulation = "independent";
  EXPECT_THROW(simulate(load_model("four-bar"), wanted), InputError);
}

INSTANTIATE_TEST_SUITE_P(All, DaeIntegrator, ::testing::Values("alf3", "hht", "ida"),
                         [](const auto& test) { return test.param; });

// Problem 5/2: equal lengths, 11 singular positions in 5 s. Fixed steps step over them and stay on the branch.
TEST(Alf3, PassesSingularPositions) {
  const SimulationResult result = run(load_model("slider-crank"), by("alf3", 5, 0.1, 1e-6, 1e-3));
  const Table table = read_table("slider-crank");
  expect_close("crank", value_at(result, 0.2, "crank.angle"), table.at(2, "crank.angle"), 1e-3);
  EXPECT_LT(result.summary.constraint_position_max, 1e-9);
  EXPECT_LT(result.summary.energy_drift, 1e-2 * result.summary.energy_scale);
}

// A stiff damped coupling between two bodies: explicit steps are bound by stability, implicit ones are not.
TEST(ImplicitIntegrators, TakeFarFewerEvaluationsOnAStiffModel) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\n"
      "bodies: {a: {mass: 1, inertia: 0.1, center: [0.5, 0]}, b: {mass: 0.1, inertia: 0.01, center: [1.5, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}, B: {type: revolute, bodies: [a, b], at: [1, "
      "0]}}\n"
      "forces: {hinge: {type: rotational_spring, joint: B, stiffness: 1e5, damping: 1e3}}\n",
      "stiff hinge");
  const long explicit_evaluations = run(model, by("dopri5", 1, 1, 1e-4)).summary.evaluations;
  EXPECT_GT(explicit_evaluations, 10 * run(model, by("hht", 1, 1, 1e-4)).summary.evaluations);
  EXPECT_GT(explicit_evaluations, 10 * run(model, by("ida", 1, 1, 1e-4)).summary.evaluations);
}

}  // namespace
}  // namespace bricard::testing

// Integrators of the constrained equations themselves: order, accuracy against references, redundant and velocity-level
// constraints, singular positions, stiffness.
#include "integrators/dae/dae_differences.h"
#include "integrators/integrator.h"
#include "reference/reference.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace dae_integrator_test {

Method by(const std::string& integrator, double duration, double output_step, double tolerance, double step = unset) {
  Method method = accurate(duration, output_step, tolerance);
  method.integrator = integrator;
  method.step = step;
  return method;
}

double pendulum_error(const Method& method) {
  return std::abs(value_at(run(shipped("pendulum"), method), 0.5, "pendulum.angle") + 1.962496192229884);
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
  const SimulationResult result = run(shipped("car-axis"), by("ida", 3, 3, 1e-8));
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
    const auto model = shipped(c.model);
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
  EXPECT_THROW(simulate(shipped("four-bar"), wanted), InputError);
  wanted.stabilization = "auto", wanted.formulation = "independent";
  EXPECT_THROW(simulate(shipped("four-bar"), wanted), InputError);
}

INSTANTIATE_TEST_SUITE_P(All, DaeIntegrator, ::testing::Values("alf3", "hht", "ida"),
                         [](const auto& test) { return test.param; });

// Problem 5/2: equal lengths, 11 singular positions in 5 s. Fixed steps step over them and stay on the branch.
TEST(Alf3, PassesSingularPositions) {
  const SimulationResult result = run(shipped("slider-crank"), by("alf3", 5, 0.1, 1e-6, 1e-3));
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

TEST(Hht, IsOfSecondOrder) {
  // The largest step governs: this tolerance rejects nothing.
  const double coarse = pendulum_error(by("hht", 0.5, 0.5, 1e3, 2e-3));
  const double fine = pendulum_error(by("hht", 0.5, 0.5, 1e3, 1e-3));
  EXPECT_NEAR(coarse / fine, 4, 0.4);
}

// Rotations in space: the exponential of the step's displacement keeps the order.
TEST(Hht, FreeTop) {
  const SimulationResult result = run(shipped("free-top"), by("hht", 5, 5, 1e-8));
  const Table table = read_table("free-top");
  const Quaternion turn = quaternion_at(result, 1, "top");
  const Vec3 omega(table.at(0, "wx_body"), table.at(0, "wy_body"), table.at(0, "wz_body"));
  const Vec3 world = vector_at(result, 1, "top.wx", "top.wy", "top.wz");
  expect_close("omega", (turn.conjugate() * world - omega).norm(), 0, 1e-4);
}

// 243 velocity coordinates: sparse matrices, found patterns, coloured derivatives; a singular position on the way.
TEST_P(DaeIntegrator, ChainOfFortyFourBars) {
  Method wanted = method(1, 1e-6);
  if (find_integrator_type(GetParam())->fixed_step) wanted.step = 5e-3;
  const SimulationResult result = run(generated("n-four-bar", 40), wanted);
  const Table exact = read_table("a02-n40");
  expect_close("B0x", value_at(result, 1, "tip_x"), exact.at(0, "B0x"), 2e-3);
  expect_close("B0y", value_at(result, 1, "tip_y"), exact.at(0, "B0y"), 2e-3);
  EXPECT_LT(result.summary.constraint_position_max, 1e-10);
  // Once two evaluations a coordinate (of ida, four) find the pattern; the rest does not grow with the chain.
  EXPECT_LT(result.summary.evaluations, 3000);
}

TEST_P(DaeIntegrator, CoulombFrictionFollowsTheReaction) {
  // A disc spinning about its fixed centre: N = m g, so it slows down by mu r m g/I.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {disc: {mass: 2, inertia: 0.5, center: [0, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, disc], at: [0, 0], friction: {coulomb: 0.3, radius: 0.1, "
      "smoothing: 1e-4}}}\n"
      "initial: {velocities: {A: 10}}\n",
      "test");
  const SimulationResult result = run(model, method(2, 1e-7));
  EXPECT_NEAR(result.data.at(1, "A.rate"), 10 - 2 * 0.3 * 0.1 * 2 * 9.81 / 0.5, 1e-5);
  EXPECT_LT(result.summary.energy_drift, 1e-4);
}

TEST_P(DaeIntegrator, DahlFrictionSaturatesAtItsLimit) {
  // Constant torque above the limit: after the bristles are deflected, the acceleration is (T - limit)/I.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, 0]\nbodies: {disc: {mass: 2, inertia: 0.5, center: [0, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, disc], at: [0, 0], friction: {dahl: {stiffness: 1000, limit: "
      "0.4}}}}\n"
      "forces: {t: {type: torque, body: disc, value: 1}}\n",
      "test");
  Method wanted = method(3, 1e-6);
  wanted.output_step = 1;
  const SimulationResult result = run(model, wanted);
  EXPECT_NEAR(result.data.at(3, "A.rate") - result.data.at(2, "A.rate"), (1 - 0.4) / 0.5, 1e-5);
  EXPECT_NEAR(result.data.at(3, "A.friction"), -0.4, 1e-6);
}

TEST_P(DaeIntegrator, FailureNamesTimeStepAndForce) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {a: {mass: 1, inertia: 1, center: [1, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}}\n"
      "forces: {f: {type: force, body: a, vector: [\"sqrt(1 - t)\", 0]}}\n",
      "test");
  Method wanted = method(2, 1e-6);
  wanted.output_step = 0.1;
  const SimulationResult result = simulate(model, wanted);
  EXPECT_FALSE(result.ok());
  EXPECT_NEAR(result.summary.time, 1, 0.05);
  const std::string& failure = result.summary.failure;
  EXPECT_NE(failure.find(GetParam() + " stopped at t = "), std::string::npos) << failure;
  EXPECT_NE(failure.find("with a step of"), std::string::npos) << failure;
  EXPECT_NE(failure.find("force f is not a number"), std::string::npos) << failure;
}

TEST(Ida, RefusesFrictionUnderLoadsThatAreNotUnique) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\npoints: {A: [0, 0], B: [1, 0]}\nbodies: {rod: {rod: [A, B], mass: 1}}\n"
      "joints: {A: {type: revolute, bodies: [ground, rod], at: A, friction: {coulomb: 0.1, radius: 0.1, smoothing: "
      "1e-3}},\n"
      "  again: {type: revolute, bodies: [ground, rod], at: A}}\n",
      "test");
  const SimulationResult result = simulate(model, by("ida", 1, 1, 1e-6));
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("loads of joints, which are not unique"), std::string::npos)
      << result.summary.failure;
}

TEST(Hht, RefusesASpectralRadiusOfOne) {
  Method method = by("hht", 1, 1, 1e-6);
  method.spectral_radius = 1;
  const SimulationResult result = simulate(shipped("pendulum"), method);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("below 1"), std::string::npos) << result.summary.failure;
}

// A bushing as stiff as a joint, hardly damped: 2e4 rad/s that no one wants to see.
TEST(ImplicitIntegrators, StepOverAStiffBushing) {
  const auto model = load_text(
      "bricard: 1\ndimension: planar\npoints: {A: [0, 0], B: [1, 0], C: [2, 0]}\n"
      "bodies: {one: {rod: [A, B], mass: 1}, two: {rod: [B, C], mass: 1}}\n"
      "joints: {A: {type: revolute, bodies: [ground, one], at: A}}\n"
      "forces: {B: {type: bushing, bodies: [one, two], at: B, stiffness: [1e8, 1e8, 0], damping: [1e3, 1e3, 0]}}\n",
      "stiff bushing");
  const SimulationResult expected = run(model, by("dopri5", 1, 1, 1e-6));
  for (const char* integrator : {"hht", "ida"}) {
    const SimulationResult result = run(model, by(integrator, 1, 1, 1e-6));
    EXPECT_GT(expected.summary.evaluations, 9 * result.summary.evaluations) << integrator;
    expect_close(integrator, result.data.at(1, "two.angle"), expected.data.at(1, "two.angle"), 1e-3);
  }
}

// f_k = u_(k-1)^2 + 3 u_k - u_(k+1): columns three apart go together.
TEST(DifferenceJacobian, ColoursATridiagonalMatrix) {
  const int size = 30;
  const Vector u = Vector::LinSpaced(size, 0.5, 2);
  int evaluations = 0;
  const DifferenceJacobian::Function function = [&](const Vector& displacement, Vector& value) {
    ++evaluations;
    const Vector at = u + displacement;
    for (int k = 0; k < size; ++k)
      value[k] = (k > 0 ? at[k - 1] * at[k - 1] : 0) + 3 * at[k] - (k + 1 < size ? at[k + 1] : 0);
    return true;
  };
  DifferenceJacobian jacobian(size, size);
  const Vector increments = Vector::Constant(size, 1e-7);
  ASSERT_TRUE(jacobian.detect(function, increments));
  jacobian.freeze();
  EXPECT_EQ(evaluations, size + 1);
  EXPECT_EQ(jacobian.values().nonZeros(), 3 * size - 2);
  evaluations = 0;
  ASSERT_TRUE(jacobian.evaluate(function, increments));
  EXPECT_EQ(evaluations, 4);
  Matrix expected = Matrix::Zero(size, size);
  for (int k = 0; k < size; ++k) {
    expected(k, k) = 3;
    if (k > 0) expected(k, k - 1) = 2 * u[k - 1];
    if (k + 1 < size) expected(k, k + 1) = -1;
  }
  EXPECT_LT((Matrix(jacobian.values()) - expected).cwiseAbs().maxCoeff(), 1e-6);
}

}  // namespace dae_integrator_test
}  // namespace bricard::testing_support

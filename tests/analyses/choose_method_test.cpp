// What `auto` chooses for each trait of a model, that it says why, and that the run then works.
#include "analyses/choose_method.h"

#include "io/generate.h"
#include "reference/reference.h"

namespace bricard::testing {
namespace {

struct Expected {
  std::string coordinates, formulation, integrator, words;
};

void expect_choice(const std::shared_ptr<const Model>& model, Method method, const Expected& expected) {
  const SimulationResult result = run(model, method);
  const ChosenMethod& chosen = result.summary.chosen;
  EXPECT_EQ(chosen.method.coordinates, expected.coordinates) << chosen.reason;
  EXPECT_EQ(chosen.method.formulation, expected.formulation) << chosen.reason;
  EXPECT_EQ(chosen.method.integrator, expected.integrator) << chosen.reason;
  EXPECT_NE(chosen.reason.find(expected.words), std::string::npos) << chosen.reason;
  EXPECT_LT(result.summary.energy_drift, 1e-3 * (1e-3 + result.summary.energy_scale));
}

const char* const stiff_hinge =
    "bricard: 1\ndimension: planar\n"
    "bodies: {a: {mass: 1, inertia: 0.1, center: [0.5, 0]}, b: {mass: 0.1, inertia: 0.01, center: [1.5, 0]}}\n"
    "joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}, B: {type: revolute, bodies: [a, b], at: [1, 0]}}\n"
    "forces: {hinge: {type: rotational_spring, joint: B, stiffness: 1e5, damping: 1e3}}\n";

TEST(Auto, IndependentConstraints) {
  expect_choice(load_model("four-bar"), accurate(0.2, 0.1, 1e-7),
                {"reference-point", "lagrange", "dopri5", "the constraints are independent"});
}

TEST(Auto, TightTolerance) {
  expect_choice(load_model("four-bar"), accurate(0.2, 0.1, 1e-10),
                {"reference-point", "lagrange", "verner6", "higher order"});
}

TEST(Auto, RedundantConstraints) {
  expect_choice(load_model("bricard"), accurate(0.2, 0.1, 1e-7),
                {"reference-point", "nullspace-svd", "dopri5", "implied by the others"});
}

TEST(Auto, StartInASingularPosition) {
  expect_choice(load_model("five-bar", {{"theta0", "0"}}), accurate(0.02, 0.01, 1e-7),
                {"reference-point", "nullspace-svd", "dopri5", "the start is a singular position"});
}

TEST(Auto, StartNearASingularPosition) {
  expect_choice(load_model("slider-crank", {{"phi0", "89.99 deg"}}), accurate(0.05, 0.05, 1e-7),
                {"reference-point", "nullspace-svd", "dopri5", "near a singular position"});
}

TEST(Auto, RoughFriction) {
  expect_choice(load_model("friction-incline"), accurate(0.2, 0.1, 1e-9),
                {"reference-point", "lagrange", "dopri5", "friction of joint guide"});
}

TEST(Auto, LargeSparseModel) {
  expect_choice(load_text(generator_types().front().generate(30), "n-four-bar"), accurate(0.1, 0.1, 1e-6),
                {"reference-point", "lagrange", "dopri5", "sparse (61 bodies)"});
}

TEST(Auto, OpenTree) {
  expect_choice(load_text(generator_types().back().generate(12), "chain"), accurate(0.2, 0.1, 1e-7),
                {"relative", "recursive", "dopri5", "form an open tree"});
}

TEST(Auto, DampingThatMakesStiff) {
  const auto model = load_text(stiff_hinge, "stiff hinge");
  expect_choice(model, accurate(2, 1, 1e-6), {"reference-point", "lagrange", "bdf", "stiff"});
  Method explicit_method = accurate(2, 1, 1e-6);
  explicit_method.integrator = "dopri5";
  EXPECT_GT(run(model, explicit_method).summary.evaluations, 10 * run(model, accurate(2, 1, 1e-6)).summary.evaluations);
}

TEST(Auto, NeverReplacesAnExplicitChoice) {
  Method method = accurate(0.1, 0.1, 1e-6);
  method.coordinates = "reference-point", method.formulation = "udwadia-kalaba", method.integrator = "adams";
  method.stabilization = "baumgarte";
  const SimulationResult result = run(load_text(stiff_hinge, "stiff hinge"), method);
  EXPECT_EQ(result.summary.chosen.method.formulation, "udwadia-kalaba");
  EXPECT_EQ(result.summary.chosen.method.integrator, "adams");
  EXPECT_EQ(result.summary.chosen.method.stabilization, "baumgarte");
}

// Through rank changes: the exact motion, or a message; never silent nonsense.
TEST(Auto, PassesRankChangesOrSaysThatItCannot) {
  for (const double tolerance : {1e-6, 1e-9}) {
    const SimulationResult bars = run(load_model("n-four-bar"), accurate(10, 10, tolerance));
    expect_close("two windows", value_at(bars, 10, "upright0.angle"), -30.17980086019, 1e4 * tolerance);
    const SimulationResult crank = run(load_model("slider-crank"), accurate(5, 5, tolerance));
    expect_close("equal lengths", value_at(crank, 5, "crank.angle"), 33.14581008471987, 1e4 * tolerance);
  }
}

}  // namespace
}  // namespace bricard::testing

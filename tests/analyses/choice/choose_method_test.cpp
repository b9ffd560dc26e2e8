// What `auto` chooses for each trait of a model, that it says why, and that the run then works.
#include "analyses/choice/choose_method.h"

#include "reference/reference.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace choose_method_test {

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
  expect_choice(shipped("four-bar"), accurate(0.2, 0.1, 1e-7),
                {"reference-point", "lagrange", "dop853", "the constraints are independent"});
}

TEST(Auto, TightTolerance) {
  expect_choice(shipped("four-bar"), accurate(0.2, 0.1, 1e-10),
                {"reference-point", "lagrange", "dop853", "higher order"});
  Method canonical = accurate(0.2, 0.1, 1e-10);
  canonical.formulation = "canonical-lagrange";
  expect_choice(shipped("four-bar"), canonical, {"reference-point", "canonical-lagrange", "verner6", "higher order"});
}

TEST(Auto, RedundantConstraints) {
  expect_choice(shipped("bricard"), accurate(0.2, 0.1, 1e-7),
                {"relative", "recursive", "dop853", "recursion over a tree of the bodies is cheapest"});
}

TEST(Auto, StartInASingularPosition) {
  expect_choice(shipped("five-bar", {{"theta0", "0"}}), accurate(0.02, 0.01, 1e-7),
                {"reference-point", "nullspace-svd", "dop853", "the start is a singular position"});
}

TEST(Auto, StartNearASingularPosition) {
  expect_choice(shipped("slider-crank", {{"phi0", "89.99 deg"}}), accurate(0.05, 0.05, 1e-7),
                {"reference-point", "lagrange-proximal", "dop853", "near a singular position"});
}

TEST(Auto, RoughFriction) {
  expect_choice(shipped("friction-incline"), accurate(0.2, 0.1, 1e-9),
                {"reference-point", "lagrange", "dopri5", "friction of joint guide"});
}

TEST(Auto, FrictionThatMakesStiff) {
  const auto pendulum = [](const std::string& friction) {
    return load_text(
        "bricard: 1\ndimension: planar\nbodies: {rod: {mass: 1, inertia: 0.1, center: [0.5, 0]}}\n"
        "joints: {A: {type: revolute, bodies: [ground, rod], at: [0, 0], friction: " +
            friction + "}}\n",
        "pendulum");
  };
  // Bristles that are stiff once the joint turns; friction that sticks at the start.
  expect_choice(pendulum("{dahl: {stiffness: 1000, limit: 0.4}}"), accurate(5, 1, 1e-6),
                {"reference-point", "lagrange", "bdf", "Dahl friction of joint A makes it stiff"});
  expect_choice(pendulum("{coulomb: 0.3, radius: 0.1, smoothing: 1e-4}"), accurate(5, 1, 1e-6),
                {"reference-point", "lagrange", "bdf", "Coulomb friction of joint A makes it stiff"});
  // A reversal that the error test of bdf would miss.
  expect_choice(pendulum("{coulomb: 0.3, radius: 0.1, smoothing: 1e-5}"), accurate(1, 1, 1e-6),
                {"reference-point", "lagrange", "bdf", "a tolerance of 1e-07, at which they see friction turn around"});
}

TEST(Auto, StiffSpringsWithoutDamping) {
  // Two halves of a rod on a spring of 2 pi 100 /s: k/I with I = 1/(1/0.1 + 1/0.1).
  const auto model = load_text(
      "bricard: 1\ndimension: planar\ngravity: [0, 0]\n"
      "bodies: {a: {mass: 1, inertia: 0.1, center: [0, 0]}, b: {mass: 1, inertia: 0.1, center: [0, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, a], at: [0, 0]}, B: {type: revolute, bodies: [a, b], at: [0, "
      "0]}}\n"
      "forces: {hinge: {type: rotational_spring, joint: B, stiffness: 19739.2}}\ninitial: {velocities: {A: 1}}\n",
      "stiff spring");
  expect_choice(model, accurate(0.1, 0.1, 1e-7),
                {"reference-point", "lagrange", "dop853", "stiff springs (about 1e+02 Hz)"});
}

TEST(Auto, SingularMassMatrix) {
  expect_choice(shipped("pendulum", {{"I", "0"}}), accurate(0.2, 0.1, 1e-7),
                {"reference-point", "lagrange", "dop853", "the mass matrix, which is singular (pendulum)"});
}

TEST(Auto, LargeRedundantModel) {
  // Fifteen parallelograms side by side, each with a third crank: one redundant row each.
  std::string bodies = "bodies:\n", joints = "joints:\n";
  for (int k = 0; k < 15; ++k) {
    const std::string n = std::to_string(k), x = std::to_string(4 * k);
    bodies += "  coupler" + n + ": {mass: 1, inertia: 1, center: [" + x + " + 1, 1]}\n";
    for (int crank = 0; crank < 3; ++crank) {
      const std::string c = n + "_" + std::to_string(crank), at = x + " + " + std::to_string(crank);
      bodies += "  crank" + c + ": {rod: [[" + at + ", 0], [" + at + ", 1]], mass: 1}\n";
      joints += "  A" + c + ": {type: revolute, bodies: [ground, crank" + c + "], at: [" + at + ", 0]}\n";
      joints += "  B" + c + ": {type: revolute, bodies: [crank" + c + ", coupler" + n + "], at: [" + at + ", 1]}\n";
    }
  }
  const auto model =
      load_text("bricard: 1\ndimension: planar\ngravity: [1, -9.81]\n" + bodies + joints, "parallelograms");
  expect_choice(model, accurate(0.2, 0.1, 1e-6),
                {"relative", "recursive", "dop853", "recursion over a tree of the bodies is cheapest"});
}

TEST(Auto, LargeSparseModel) {
  expect_choice(generated("n-four-bar", 30), accurate(0.1, 0.1, 1e-6),
                {"relative", "recursive", "dop853", "recursion over a tree of the bodies is cheapest"});
}

TEST(Auto, OpenTree) {
  expect_choice(generated("spatial-chain", 12), accurate(0.2, 0.1, 1e-7),
                {"relative", "recursive", "dop853", "form an open tree"});
}

TEST(Auto, DampingThatMakesStiff) {
  const auto model = load_text(stiff_hinge, "stiff hinge");
  expect_choice(model, accurate(2, 1, 1e-6), {"reference-point", "lagrange", "bdf", "stiff"});
  Method explicit_method = accurate(2, 1, 1e-6);
  explicit_method.integrator = "dopri5";
  EXPECT_GT(run(model, explicit_method).summary.evaluations, 10 * run(model, accurate(2, 1, 1e-6)).summary.evaluations);
}

TEST(Auto, GivesItsReasonsAsOneSentence) {
  const std::string reason = run(shipped("four-bar"), accurate(0.1, 0.1, 1e-6)).summary.chosen.reason;
  EXPECT_EQ(reason,
            "reference-point because the joints close 1 loop; lagrange because the constraints are independent; "
            "projection because it keeps every constraint to round-off at any tolerance; "
            "dop853 because a higher order pays at this tolerance");
  Method method = accurate(0.1, 0.1, 1e-6);
  method.coordinates = "reference-point", method.formulation = "lagrange", method.stabilization = "none";
  method.integrator = "dopri5";
  EXPECT_EQ(run(shipped("four-bar"), method).summary.chosen.reason, "as requested");
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

}  // namespace choose_method_test
}  // namespace bricard::testing_support

// Independent coordinates and partitioning: the same motion as with projection, through positions where a choice goes
// bad.
#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>

#include "bricard/load.h"
#include "bricard/simulate.h"
#include "selections/selection.h"

namespace bricard {
namespace independent_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

SimulationResult run(const std::string& model, Method method, double duration) {
  method.duration = duration;
  method.output_step = duration / 10;
  if (std::isnan(method.tolerance)) method.tolerance = 1e-10;
  return simulate(load(models + model + ".yaml"), method);
}

/// In dependent coordinates.
SimulationResult run_accurately(const std::string& model, double duration) {
  return run(model, {.formulation = "udwadia-kalaba", .stabilization = "projection", .tolerance = 1e-12}, duration);
}

void expect_same(const SimulationResult& result, const SimulationResult& reference, double tolerance) {
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  ASSERT_EQ(result.data.rows.size(), reference.data.rows.size());
  for (std::size_t row = 0; row < reference.data.rows.size(); ++row) {
    for (std::size_t k = 0; k < reference.data.columns.size(); ++k) {
      const std::string& name = reference.data.columns[k];
      if (name.starts_with("constraint.") || name.ends_with(".qw") || name.ends_with(".qx") || name.ends_with(".qy") ||
          name.ends_with(".qz"))
        continue;
      // Reactions change by hundreds of newtons within a fraction of a turn, so an error in phase shows in them.
      const bool reaction = name.ends_with(".fx") || name.ends_with(".fy") || name.ends_with(".fz") ||
                            name.find(".m") != std::string::npos;
      const double expected = reference.data.rows[row][k];
      const double allowed =
          reaction ? 20 * (1 + reference.data.rows[row].lpNorm<Eigen::Infinity>()) : 1 + std::abs(expected);
      ASSERT_NEAR(result.data.rows[row][k], expected, tolerance * allowed) << name << " in row " << row;
    }
  }
}

class Independent : public ::testing::TestWithParam<std::string> {};

TEST_P(Independent, FullTurnsOfTheFourBar) {
  const SimulationResult reference = run_accurately("four-bar", 5);  // more than six turns of the crank
  ASSERT_TRUE(reference.ok());
  for (const char* formulation : {"independent", "independent-extended"}) {
    SCOPED_TRACE(formulation);
    Method method;
    method.formulation = formulation, method.selection = GetParam();
    const SimulationResult result = run("four-bar", method, 5);
    expect_same(result, reference, 6e-6);
    EXPECT_NEAR(result.data.at(10, "alpha"), 39.59787305561958, 1.5e-6);  // tests/data/four-bar.csv
    EXPECT_LT(result.summary.constraint_position_max, 1e-11);
    EXPECT_LT(result.summary.constraint_velocity_max, 1e-10);
  }
}

TEST_P(Independent, RedundantRowsOfTheFiveBar) {
  const SimulationResult reference = run_accurately("five-bar", 4);
  for (const char* formulation : {"independent", "independent-extended"}) {
    SCOPED_TRACE(formulation);
    Method method;
    method.formulation = formulation, method.selection = GetParam();
    expect_same(run("five-bar", method, 4), reference, 5e-8);
  }
}

TEST_P(Independent, KeepsItsBranchThroughSingularPositions) {
  for (const char* formulation : {"independent", "independent-extended"}) {
    SCOPED_TRACE(formulation);
    Method method;
    method.formulation = formulation, method.selection = GetParam(), method.tolerance = 1e-9;
    method.duration = method.output_step = 10;
    const SimulationResult bars = simulate(load(models + "n-four-bar.yaml"), method);
    ASSERT_TRUE(bars.ok()) << bars.summary.failure;
    EXPECT_NEAR(bars.data.at(1, "upright0.angle"), -30.17980086019, 2e-5);  // pi/2 - theta of the exact reduction
    method.duration = method.output_step = 20;
    const SimulationResult links =
        simulate(load(models + "five-bar.yaml", {.parameters = {{"theta0", "30 deg"}}}), method);
    ASSERT_TRUE(links.ok()) << links.summary.failure;
    EXPECT_NEAR(links.data.at(1, "link1.angle"), -1.138806343268, 2e-5);  // closed form, see the model
  }
}

TEST_P(Independent, LongStepsDoNotLeadOverABadChoice) {
  // A pendulum that starts level and swings past its lowest point, where its height says nothing of the way it moves.
  const auto model = load_text(
      "bricard: 1\ndimension: planar\nbodies: {p: {mass: 1, inertia: 0.03, center: [0.3, 0]}}\n"
      "joints: {A: {type: revolute, bodies: [ground, p], at: [0, 0], friction: {viscous: 0.5}}}\n"
      "forces: {f: {type: torque, body: p, value: 3*cos(5*t)}}\n",
      "pendulum");
  Method method;
  method.duration = 1, method.output_step = 0.1;
  method.tolerance = 1e-11;
  const SimulationResult exact = simulate(model, method);
  method.formulation = "independent-extended", method.selection = GetParam();
  for (const char* integrator : {"dopri5", "dop853"}) {
    for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-8}) {
      method.integrator = integrator, method.tolerance = tolerance;
      const SimulationResult run = simulate(model, method);
      ASSERT_TRUE(run.ok()) << run.summary.failure;
      EXPECT_NEAR(run.data.at(10, "p.angle"), exact.data.at(10, "p.angle"), 20 * tolerance)
          << integrator << " at " << tolerance;
    }
  }
}

TEST_P(Independent, SpatialDrivenAndNonHolonomic) {
  Method method;
  method.selection = GetParam();
  method.formulation = "independent";  // `auto` picks Euler angles, whose velocities are rates
  expect_same(run("mcpherson", method, 1), run("mcpherson", {}, 1), 1e-6);
  method.formulation = "independent-extended";
  expect_same(run("mcpherson-overconstrained", method, 1), run("mcpherson-overconstrained", {}, 1), 1e-6);
  expect_same(run("rolling-coin", method, 1), run("rolling-coin", {}, 1), 1e-6);
  expect_same(run("driven-slider-crank", method, 1), run("driven-slider-crank", {}, 1), 1e-6);
}

TEST_P(Independent, PartitioningStabilisesEveryFormulation) {
  const SimulationResult reference = run("four-bar", {}, 2);
  for (const char* formulation : {"lagrange", "lagrange-pseudoinverse"}) {
    Method method;
    method.formulation = formulation, method.stabilization = "partitioning", method.selection = GetParam();
    const SimulationResult result = run("four-bar", method, 2);
    expect_same(result, reference, 1e-6);
    EXPECT_LT(result.summary.constraint_position_max, 1e-11);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const SelectionType& type : selection_types()) all.emplace_back(type.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Every, Independent, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(IndependentTest, BetterChoicesAreTakenAndCounted) {
  // Both coordinates of the coupler's centre have two turning points a turn: four changes of the projective criterion.
  for (const char* formulation : {"independent", "independent-extended"}) {
    Method method;
    method.formulation = formulation, method.selection = "projective";
    const SimulationResult result = run("four-bar", method, 5);
    ASSERT_TRUE(result.ok()) << result.summary.failure;
    EXPECT_EQ(result.summary.messages.back(), "the independent coordinates were changed 25 times");
    EXPECT_EQ(result.summary.restarts, 25);
    const SimulationResult modelica = run("modelica-four-bar", method, 5);
    EXPECT_NE(modelica.summary.messages.back().find("changed"), std::string::npos);
    expect_same(modelica, run_accurately("modelica-four-bar", 5), 1e-6);
  }
}

TEST(IndependentTest, MisfitsAreRefused) {
  const auto message = [](const std::string& model, const Method& method) -> std::string {
    try {
      simulate(load(models + model + ".yaml"), method);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Method method;
  method.formulation = "independent";
  method.coordinates = "reference-point";
  EXPECT_NE(message("mcpherson", method).find("euler-zxz"), std::string::npos);
  method.coordinates = "";
  EXPECT_NE(message("rolling-coin", method).find("velocity-level"), std::string::npos);
  method.stabilization = "baumgarte";
  EXPECT_NE(message("four-bar", method).find("by itself"), std::string::npos);
  method = {};
  method.selection = "gaus";
  EXPECT_NE(message("four-bar", method).find("'gauss'"), std::string::npos);
}

TEST(BaumgarteThenPartitioning, CorrectsWhenFeedbackFails) {
  // Feedback too weak to hold the bound of 1e-6: partitioning must step in; with strong feedback it need not.
  Method weak, strong;
  weak.stabilization = strong.stabilization = "baumgarte-then-partitioning";
  weak.alpha = weak.beta = 0.01;
  strong.alpha = strong.beta = 20;
  for (Method* method : {&weak, &strong}) method->duration = 5, method->output_step = 0.5, method->tolerance = 1e-6;
  const auto model = load(models + "four-bar.yaml");
  const SimulationResult with_weak = simulate(model, weak);
  ASSERT_TRUE(with_weak.ok()) << with_weak.summary.failure;
  EXPECT_LT(with_weak.summary.constraint_position_max, 1.1e-6 * std::max(1.0, model->characteristic_length()));
  EXPECT_NE(with_weak.summary.messages.back().find("partitioning corrected"), std::string::npos)
      << with_weak.summary.messages.back();
}

}  // namespace independent_test
}  // namespace bricard

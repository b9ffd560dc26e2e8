// Independent coordinates and partitioning: the same motion as with projection, through positions where a choice goes
// bad.
#include <gtest/gtest.h>

#include "analyses/simulate.h"
#include "io/load.h"
#include "selections/selection.h"

namespace bricard {
namespace {

const std::string models = BRICARD_SOURCE_DIR "/models/";

SimulationResult run(const std::string& model, Method method, double duration) {
  method.duration = duration;
  method.output_step = duration / 10;
  method.tolerance = 1e-10;
  return simulate(load(models + model + ".yaml"), method);
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
  const SimulationResult reference = run("four-bar", {}, 5);  // several turns of the crank
  ASSERT_TRUE(reference.ok());
  for (const char* formulation : {"independent", "independent-extended"}) {
    SCOPED_TRACE(formulation);
    Method method;
    method.formulation = formulation, method.selection = GetParam();
    const SimulationResult result = run("four-bar", method, 5);
    expect_same(result, reference, 1e-5);
    EXPECT_LT(result.summary.constraint_position_max, 1e-11);
    EXPECT_LT(result.summary.constraint_velocity_max, 1e-10);
  }
}

TEST_P(Independent, RedundantRowsOfTheFiveBar) {
  const SimulationResult reference = run("five-bar", {}, 4);
  for (const char* formulation : {"independent", "independent-extended"}) {
    SCOPED_TRACE(formulation);
    Method method;
    method.formulation = formulation, method.selection = GetParam();
    expect_same(run("five-bar", method, 4), reference, 1e-6);
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
INSTANTIATE_TEST_SUITE_P(Every, Independent, ::testing::ValuesIn(names()), [](const auto& test) { return test.param; });

TEST(IndependentTest, BadChoicesAreChangedAndCounted) {
  // The projective criterion may choose coordinates of centres of mass, which have turning points.
  Method method;
  method.formulation = "independent", method.selection = "projective";
  const SimulationResult result = run("modelica-four-bar", method, 5);
  ASSERT_TRUE(result.ok()) << result.summary.failure;
  ASSERT_FALSE(result.summary.messages.empty());
  EXPECT_NE(result.summary.messages.back().find("changed"), std::string::npos) << result.summary.messages.back();
  EXPECT_GT(result.summary.restarts, 0);
  expect_same(result, run("modelica-four-bar", {}, 5), 1e-5);
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

TEST(Hybrid, CorrectsWhenFeedbackFails) {
  // Feedback too weak to hold the bound of 1e-6: partitioning must step in; with strong feedback it need not.
  Method weak, strong;
  weak.stabilization = strong.stabilization = "hybrid";
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

}  // namespace
}  // namespace bricard

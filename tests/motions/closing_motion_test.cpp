// Runs by closing conditions.
#include "bricard/equations.h"
#include "reference/reference.h"

namespace bricard::testing_support {
namespace closing_motion_test {

Method closing(double duration, double output_step, double tolerance, const std::string& selection = "") {
  Method method = accurate(duration, output_step, tolerance);
  method.formulation = "closing-conditions", method.selection = selection;
  return method;
}

constexpr double alpha_at_10 = 79.340798253554;  // of models/four-bar.yaml

TEST(ClosingMotion, FourBarByCrankFromStartToEnd) {
  const SimulationResult result = run(shipped("four-bar"), closing(10, 1, 1e-13, "O1.angle"));
  EXPECT_NEAR(value_at(result, 10, "alpha"), alpha_at_10, 1e-9);
  for (std::size_t row = 0; row < result.data.rows.size(); ++row) {
    EXPECT_LT(result.data.at(row, "constraint.position"), 1e-13);
    EXPECT_LT(result.data.at(row, "constraint.velocity"), 1e-12);
  }
  EXPECT_EQ(result.summary.dynamics.find(";"), std::string::npos);
}

TEST(ClosingMotion, FourBarByCouplerFromStartToEnd) {
  const SimulationResult result = run(shipped("four-bar"), closing(10, 10, 1e-13, "O2.angle"));
  EXPECT_NEAR(value_at(result, 10, "alpha"), alpha_at_10, 3e-9);
}

TEST(ClosingMotion, RockerStopsAtItsDeadPoint) {
  // BS: the rocker as q_I is singular where crank and coupler are aligned.
  Method method = closing(10, 1, 1e-8, "O4.angle");
  method.rescue = "off";
  const SimulationResult result = simulate(shipped("four-bar"), method);
  ASSERT_FALSE(result.ok());
  EXPECT_LT(result.summary.time, 1);
}

TEST(ClosingMotion, ChangesCoordinatesWhereTheyAreLeftToIt) {
  Method method = closing(3, 3, 1e-11);
  const SimulationResult automatic = run(shipped("slider-crank-long-rod"), method);
  EXPECT_NEAR(value_at(automatic, 3, "crank.angle"), -1.449151733554, 1e-7);
}

TEST(ClosingMotion, ScotchYoke) {
  const double period = 0.873775257098;
  const SimulationResult result = run(shipped("scotch-yoke"), closing(period, period / 4, 1e-12, "O.angle"));
  expect_close("quarter", value_at(result, period / 4, "crank.omega"), 10 / std::sqrt(3), 1e-9);
  expect_close("turn", value_at(result, period, "crank.angle"), 2 * 3.14159265358979, 1e-9);
  expect_close("pin", value_at(result, 0, "pin.fx"), 20, 1e-9);
}

TEST(ClosingMotion, TakesTheWayOfOtherFormulations) {
  for (const char* name : {"watt-six-bar", "stephenson-six-bar", "two-freedom-five-bar", "rssr", "two-rods-on-a-line",
                           "geared-pair", "moving-pivot", "driven-slider-crank"}) {
    SCOPED_TRACE(name);
    const auto model = shipped(name);
    Method other = accurate(0.4, 0.1, 1e-10);
    other.coordinates = "relative", other.formulation = "nullspace-svd", other.stabilization = "projection";
    const SimulationResult expected = run(model, other), result = run(model, closing(0.4, 0.1, 1e-10));
    ASSERT_EQ(expected.data.columns.size(), result.data.columns.size());
    for (std::size_t row = 0; row < expected.data.rows.size(); ++row) {
      for (std::size_t column = 0; column < expected.data.columns.size(); ++column) {
        const std::string& title = expected.data.columns[column];
        if (title.starts_with("constraint.") || title.starts_with("energy.")) continue;
        const double value = expected.data.rows[row][column];
        EXPECT_NEAR(result.data.rows[row][column], value, 1e-6 * (1 + std::abs(value))) << title;
      }
    }
  }
}

TEST(ClosingMotion, ShowsWhatItIsMadeOf) {
  Method method = closing(1, 1, 1e-9, "O1.angle");
  const EquationsResult result = show_equations(shipped("four-bar"), method, {.at = 0.2});
  ASSERT_TRUE(result.ok) << result.failure;
  for (const char* symbol : {"A", "eta", "xi", "D", "D M D^T", "v_I'", "C^", "lambda^", "q_I"})
    ASSERT_NE(result.find(symbol), nullptr) << symbol;
  const Matrix &P = result.find("P")->values, &C = result.find("C^")->values, &D = result.find("D")->values;
  EXPECT_LT((P * D.transpose()).norm(), 1e-12);
  EXPECT_LT((C * D.transpose()).norm(), 1e-14);
  // (32): C^^T lambda^ = C^T lambda, with the signs of the paper.
  const Matrix of_rows = P.transpose() * result.find("lambda")->values;
  const Matrix of_closing = C.transpose() * result.find("lambda^")->values;
  EXPECT_LT((of_rows + of_closing).norm(), 1e-12 * (1 + of_rows.norm()));
  EXPECT_EQ(result.find("q_I")->rows.size(), 3u);
  // The product of cosines of one coordinate is its own cos^2; the best is first.
  EXPECT_GE(result.find("q_I")->values(0, 1), result.find("q_I")->values(2, 1));
  EXPECT_LE(result.find("q_I")->values(0, 1), 1);
}

}  // namespace closing_motion_test
}  // namespace bricard::testing_support

#include "model/time_scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/expression_scope.h"

namespace bricard::testing_support {
namespace time_scan_test {

TimeScan scan(const std::string& text, double end) {
  ExpressionScope scope;
  scope.time = true;
  scope.parameter = [](const std::string&) -> const double* { return nullptr; };
  return scan_time(Expression::parse(text, scope), end, end / 4096);
}

TEST(TimeScan, BreakpointsOfLinearArgumentsAreExactNumbers) {
  EXPECT_EQ(scan("step(t, 0.3, 0, 0.7, 1)", 10).breakpoints, (std::vector<double>{0.3, 0.7}));
  EXPECT_EQ(scan("if((t > 5)*(t <= 5.01), 1, 0)", 10).breakpoints, (std::vector<double>{5, 5.01}));
  EXPECT_EQ(scan("abs(abs(t - 5) - 1)", 10).breakpoints, (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(scan("min(t, 3, 5 - t)", 4).breakpoints, (std::vector<double>{2.5, 3}));
}

TEST(TimeScan, BreakpointsOfOtherFunctionsAreTheirRoots) {
  const std::vector<double> found = scan("if(sin(5*t) > 0.3, 1, 0)", 100).breakpoints;
  const double first = std::asin(0.3) / 5, half = std::numbers::pi / 5;
  ASSERT_EQ(found.size(), 160U);
  for (int k = 0; k < 80; ++k) {
    EXPECT_NEAR(found[2 * k], first + 2 * half * k, 1e-13 * 100);
    EXPECT_NEAR(found[2 * k + 1], half - first + 2 * half * k, 1e-13 * 100);
  }
}

TEST(TimeScan, TwoRootsBetweenNeighbouringLooksAreFound) {
  // Above zero for 2e-4 s around t = 3.3, a tenth of the distance between looks.
  const std::vector<double> found = scan("if(1e-8 - (t - 3.3)^2 > 0, 1, 0)", 10).breakpoints;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0], 3.2999, 1e-9);
  EXPECT_NEAR(found[1], 3.3001, 1e-9);
}

TEST(TimeScan, AFunctionThatOnlyTouchesZeroDoesNotSwitch) {
  EXPECT_TRUE(scan("if((t - 3.3)^2 + 1e-12 > 0, 1, 0)", 10).breakpoints.empty());
}

TEST(TimeScan, BreakpointsWithinRoundingAreOne) {
  EXPECT_EQ(scan("(t > 0.3) + (t > 0.1 + 0.2)", 1).breakpoints.size(), 1U);
}

TEST(TimeScan, APulseHasShortStretchesAndARestNone) {
  for (const double width : {0.1, 0.01, 1e-4}) {
    SCOPED_TRACE(width);
    const TimeScan found = scan("exp(-((t - 5)/" + std::to_string(width) + ")^2)", 10);
    ASSERT_FALSE(found.stretches.empty());
    for (const TimeStretch& stretch : found.stretches) {
      EXPECT_LT(stretch.end - stretch.begin, 2 * width);
      EXPECT_LT(std::abs(stretch.begin - 5), 8 * width);
    }
    EXPECT_LT(found.stretches.front().begin, 5 - 3 * width);
    EXPECT_GT(found.stretches.back().end, 5 + 3 * width);
  }
  EXPECT_TRUE(scan("7", 10).stretches.empty());
}

TEST(TimeScan, SmoothFunctionsHaveStretchesOfAboutHalfAPeriod) {
  for (const TimeStretch& stretch : scan("3*sin(20*t) + 1", 10).stretches) {
    EXPECT_GT(stretch.end - stretch.begin, 0.4 * std::numbers::pi / 20);
    EXPECT_LT(stretch.end - stretch.begin, 2 * std::numbers::pi / 20);
  }
}

}  // namespace time_scan_test
}  // namespace bricard::testing_support

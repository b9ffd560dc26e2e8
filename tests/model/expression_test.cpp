// What expressions mean: values, names, signals. Derivatives and errors have files of their own.
#include "bricard/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/allocation_counter.h"
#include "support/expression_scope.h"

namespace bricard {
namespace expression_test {

using std::numbers::pi;
using testing_support::empty_scope;
using testing_support::full_scope;

struct ValueCase {
  const char* text;
  double expected;
};
void PrintTo(const ValueCase& value_case, std::ostream* out) { *out << value_case.text; }

class ExpressionValue : public ::testing::TestWithParam<ValueCase> {};

TEST_P(ExpressionValue, OfConstants) {
  const auto [text, expected] = GetParam();
  const auto expression = Expression::parse(text, full_scope());
  EXPECT_TRUE(expression.is_constant());
  EXPECT_EQ(expression.text(), text);
  EXPECT_DOUBLE_EQ(expression.value(0), expected);
}

constexpr double deg = pi / 180;
INSTANTIATE_TEST_SUITE_P(Arithmetic, ExpressionValue,
                         ::testing::Values(ValueCase{"1", 1}, ValueCase{" \t1\r\n ", 1}, ValueCase{".5", 0.5},
                                           ValueCase{"5.", 5}, ValueCase{"1e-3", 1e-3}, ValueCase{"1.5E+2", 150},
                                           ValueCase{"007", 7}, ValueCase{"1/12", 1. / 12}, ValueCase{"1+2*3", 7},
                                           ValueCase{"(1+2)*3", 9}, ValueCase{"10-4-3", 3}, ValueCase{"24/4/3", 2},
                                           ValueCase{"2*-3", -6}, ValueCase{"2--3", 5}, ValueCase{"--3", 3},
                                           ValueCase{"+3", 3}, ValueCase{"-2^2", -4}, ValueCase{"(-2)^2", 4},
                                           ValueCase{"2^-1", 0.5}, ValueCase{"2^3^2", 512},
                                           ValueCase{"2^-2^2", 1. / 16}, ValueCase{"0^0", 1}, ValueCase{"(-2)^3", -8},
                                           ValueCase{"(-2)^-3", -0.125}, ValueCase{"2^0.5", std::sqrt(2)},
                                           ValueCase{"(-1)^101", -1}, ValueCase{"3*2^2", 12}, ValueCase{"L*mass", 1},
                                           ValueCase{"mass*L^2/12", 1. / 6}, ValueCase{"g", 9.81}));
INSTANTIATE_TEST_SUITE_P(Units, ExpressionValue,
                         ::testing::Values(ValueCase{"pi", pi}, ValueCase{"deg", deg}, ValueCase{"30 deg", 30 * deg},
                                           ValueCase{"30deg", 30 * deg}, ValueCase{"-30 deg", -30 * deg},
                                           ValueCase{"(10+20) deg", 30 * deg}, ValueCase{"180 deg", pi},
                                           ValueCase{"1e2 deg", 100 * deg}, ValueCase{"2*30 deg", 60 * deg},
                                           ValueCase{"1/(2 deg)", 1 / (2 * deg)}, ValueCase{"(1/2) deg", 0.5 * deg},
                                           ValueCase{"30 deg^2", 30 * deg * 30 * deg},
                                           ValueCase{"2^30 deg", std::pow(2, 30 * deg)}, ValueCase{"30*deg", 30 * deg},
                                           ValueCase{"max(10, 20) deg", 20 * deg}, ValueCase{"sin(30 deg)", 0.5}));
INSTANTIATE_TEST_SUITE_P(Comparisons, ExpressionValue,
                         ::testing::Values(ValueCase{"1 < 2", 1}, ValueCase{"2 < 1", 0}, ValueCase{"1 <= 1", 1},
                                           ValueCase{"1 > 1", 0}, ValueCase{"1 >= 1", 1}, ValueCase{"1 == 1", 1},
                                           ValueCase{"1 != 1", 0}, ValueCase{"1+1 == 2", 1},
                                           ValueCase{"(1 < 2)*(2 < 3)", 1}, ValueCase{"1 < 2 + 3", 1},
                                           ValueCase{"(1 > 2) + 5", 5}, ValueCase{"if(1 < 2, 10, 20)", 10},
                                           ValueCase{"if(0, 10, 20)", 20}, ValueCase{"if(-1, 10, 20)", 20},
                                           ValueCase{"if(1, 3, 1/0)", 3}));
INSTANTIATE_TEST_SUITE_P(Functions, ExpressionValue,
                         ::testing::Values(ValueCase{"sin(0.7)", std::sin(0.7)}, ValueCase{"cos(0.7)", std::cos(0.7)},
                                           ValueCase{"tan(0.7)", std::tan(0.7)}, ValueCase{"asin(0.7)", std::asin(0.7)},
                                           ValueCase{"acos(0.7)", std::acos(0.7)},
                                           ValueCase{"atan(0.7)", std::atan(0.7)},
                                           ValueCase{"atan2(1, -2)", std::atan2(1, -2)},
                                           ValueCase{"sqrt(0.7)", std::sqrt(0.7)}, ValueCase{"exp(0.7)", std::exp(0.7)},
                                           ValueCase{"log(0.7)", std::log(0.7)}, ValueCase{"abs(-2)", 2},
                                           ValueCase{"sign(-2)", -1}, ValueCase{"sign(0)", 0}, ValueCase{"sign(3)", 1},
                                           ValueCase{"min(3, 1, 2)", 1}, ValueCase{"max(3, 1, 7, 2)", 7},
                                           ValueCase{"min (1, 2)", 1}, ValueCase{"step(0, 1, 5, 3, 9)", 5},
                                           ValueCase{"step(1, 1, 5, 3, 9)", 5}, ValueCase{"step(2, 1, 5, 3, 9)", 7},
                                           ValueCase{"step(1.5, 1, 5, 3, 9)", 5 + 4 * (3. / 16 - 2. / 64)},
                                           ValueCase{"step(3, 1, 5, 3, 9)", 9}, ValueCase{"step(4, 1, 5, 3, 9)", 9},
                                           ValueCase{"step(1, 1, 5, 1, 9)", 5}, ValueCase{"step(1.1, 1, 5, 1, 9)", 9}));

TEST(Expression, DefaultsToZeroAndTakesNumbers) {
  EXPECT_EQ(Expression().value(0), 0);
  EXPECT_EQ(Expression(2.5).value(1), 2.5);
  EXPECT_EQ(Expression(2.5).text(), "2.5");
  EXPECT_TRUE(Expression(2.5).is_constant());
}

TEST(Expression, UsesTime) {
  const auto expression = Expression::parse("2*pi*t + L", full_scope());
  EXPECT_TRUE(expression.uses_time());
  EXPECT_FALSE(expression.is_constant());
  EXPECT_TRUE(expression.signals().empty());
  EXPECT_DOUBLE_EQ(expression.value(0.5), pi + 2);
}

TEST(Expression, NumbersSignalsOnceInOrderOfAppearance) {
  const auto expression =
      Expression::parse("angle(A) - 2*rate( A ) + angle(A)*x(b-1.left) + v + distance(P, Q)", full_scope());
  const std::vector<Signal>& signals = expression.signals();
  ASSERT_EQ(signals.size(), 5u);
  EXPECT_EQ(signals[0].quantity, Quantity::angle);
  EXPECT_EQ(signals[1].quantity, Quantity::rate);
  EXPECT_EQ(signals[1].target, signals[0].target);
  EXPECT_EQ(signals[2].quantity, Quantity::x);
  EXPECT_EQ(signals[2].target, 1);
  EXPECT_EQ(signals[3].quantity, Quantity::variable);
  EXPECT_EQ(signals[3].target, 1);
  EXPECT_EQ(signals[4].quantity, Quantity::distance);
  EXPECT_EQ(signals[4].target, 2);
  EXPECT_EQ(signals[4].other_target, 3);
  const double values[] = {3, 5, 7, 11, 13};
  EXPECT_DOUBLE_EQ(expression.value(0, values), 3 - 10 + 21 + 11 + 13);
  EXPECT_TRUE(expression.uses_velocity());
  EXPECT_FALSE(expression.uses_time());
}

TEST(Expression, HasEverySignal) {
  const std::pair<const char*, Quantity> signals[] = {
      {"angle(a)", Quantity::angle}, {"angle2(a)", Quantity::angle2}, {"position(a)", Quantity::position},
      {"rate(a)", Quantity::rate},   {"rate2(a)", Quantity::rate2},   {"x(a)", Quantity::x},
      {"y(a)", Quantity::y},         {"z(a)", Quantity::z},           {"vx(a)", Quantity::vx},
      {"vy(a)", Quantity::vy},       {"vz(a)", Quantity::vz},         {"wx(a)", Quantity::wx},
      {"wy(a)", Quantity::wy},       {"wz(a)", Quantity::wz},         {"distance(a,b)", Quantity::distance}};
  for (const auto& [text, quantity] : signals) {
    const auto expression = Expression::parse(text, full_scope());
    ASSERT_EQ(expression.signals().size(), 1u) << text;
    EXPECT_EQ(expression.signals()[0].quantity, quantity) << text;
    EXPECT_EQ(expression.uses_velocity(), is_velocity(quantity)) << text;
    EXPECT_EQ(is_velocity(quantity), text[0] == 'r' || text[0] == 'v' || text[0] == 'w') << text;
  }
}

TEST(Expression, FreeVariableIsNoSignal) {
  ExpressionScope scope = full_scope();
  scope.variables = {"x", "v"};
  const auto law = Expression::parse("-50*x - 10*abs(x)*x - 5*v + x(b)", scope);
  ASSERT_EQ(law.signals().size(), 3u);
  EXPECT_EQ(law.signals()[0].quantity, Quantity::variable);
  EXPECT_EQ(law.signals()[2].quantity, Quantity::x);
  EXPECT_FALSE(law.uses_velocity());
  const double values[] = {-2, 3, 0.5};
  EXPECT_DOUBLE_EQ(law.value(0, values), 100 + 40 - 15 + 0.5);
}

TEST(Expression, ReservesTheNamesItKnows) {
  for (const char* name : {"pi", "deg", "t", "sin", "if", "step", "angle", "x", "wz", "distance"}) {
    EXPECT_TRUE(is_reserved_name(name)) << name;
  }
  for (const char* name : {"", "L", "Pi", "m", "sine", "variable", "v"}) EXPECT_FALSE(is_reserved_name(name)) << name;
}

TEST(Expression, HandsOnNaN) {
  const double nan = std::nan("");
  for (const char* text : {"u + 1", "min(u, 1)", "min(1, u)", "max(u, 1)", "max(1, u)", "sign(u)", "abs(u)",
                           "step(u, 0, 0, 1, 1)", "sqrt(u)"}) {
    EXPECT_TRUE(std::isnan(Expression::parse(text, full_scope()).value(0, &nan))) << text;
  }
}

TEST(Expression, EvaluatingNeverAllocates) {
  const auto expression = Expression::parse(
      "step(t, 0, u, 1, v^2) + atan2(u, v)*min(u, v, t) - if(u > v, exp(-u), log(v))/sqrt(abs(u)) + u^v + v^2.5",
      full_scope());
  const double values[] = {0.3, 0.8};
  const Jet jets[] = {{0.3, 1, 2}, {0.8, -1, 3}};
  double partials[2], time_partial, sum = 0;
  const AllocationCounter counter;
  sum += expression.value(0.4, values);
  sum += expression.jet(0.4, jets).acceleration;
  sum += expression.gradient(0.4, values, partials, &time_partial);
  const long allocations = counter.count();
  EXPECT_EQ(allocations, 0);
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace expression_test
}  // namespace bricard

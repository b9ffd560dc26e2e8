// Derivatives of expressions against extrapolated central differences, and closed forms where functions have kinks.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "bricard/expression.h"
#include "support/expression_scope.h"

namespace bricard {
namespace expression_derivatives_test {

using testing_support::full_scope;

/// Central differences with three steps of Richardson extrapolation: the error is of order h^8.
template <class Function>
double derivative(const Function& f, double x) {
  std::array<double, 4> table{};
  double h = 0.02;
  for (double& entry : table) {
    entry = (f(x + h) - f(x - h)) / (2 * h);
    h /= 2;
  }
  for (std::size_t level = 1; level < table.size(); ++level) {
    const double factor = std::pow(4, level);
    for (std::size_t k = table.size() - 1; k >= level; --k) {
      table[k] = (factor * table[k] - table[k - 1]) / (factor - 1);
    }
  }
  return table.back();
}

/// Smooth curves for up to two signals, between 0.3 and 0.9.
std::array<Jet, 2> signals_at(double t) {
  const double a = 1.3 * t + 0.2, b = 0.7 * t - 0.4;
  return {Jet{0.6 + 0.3 * std::sin(a), 0.39 * std::cos(a), -0.507 * std::sin(a)},
          Jet{0.5 + 0.2 * std::cos(b), -0.14 * std::sin(b), -0.098 * std::cos(b)}};
}

class ExpressionDerivatives : public ::testing::TestWithParam<const char*> {};

TEST_P(ExpressionDerivatives, AgreeWithDifferences) {
  const auto expression = Expression::parse(GetParam(), full_scope());
  const std::size_t count = expression.signals().size();
  ASSERT_LE(count, 2u);
  const auto jet_at = [&](double t) { return expression.jet(t, signals_at(t).data()); };
  const auto near = [](double actual, double expected, const char* what, double t) {
    EXPECT_NEAR(actual, expected, 1e-8 * std::max(1.0, std::abs(expected))) << what << " at t = " << t;
  };
  for (const double t : {0.31, 0.77, 1.9, 3.3}) {
    const auto signals = signals_at(t);
    std::array<double, 2> values{signals[0].value, signals[1].value};
    const auto value_along = [&](double s) {
      const auto moved = signals_at(s);
      const std::array<double, 2> moved_values{moved[0].value, moved[1].value};
      return expression.value(s, moved_values.data());
    };
    const double value = expression.value(t, values.data());
    const Jet jet = jet_at(t);
    EXPECT_DOUBLE_EQ(jet.value, value);
    near(jet.rate, derivative(value_along, t), "rate", t);
    near(jet.acceleration, derivative([&](double s) { return jet_at(s).rate; }, t), "acceleration", t);

    std::array<double, 2> partials{};
    double time_partial = 0;
    EXPECT_DOUBLE_EQ(expression.gradient(t, values.data(), partials.data(), &time_partial), value);
    double total = time_partial;
    for (std::size_t k = 0; k < count; ++k) {
      const auto value_beside = [&](double signal) {
        std::array<double, 2> moved = values;
        moved[k] = signal;
        return expression.value(t, moved.data());
      };
      near(partials[k], derivative(value_beside, values[k]), "partial", t);
      total += partials[k] * signals[k].rate;
    }
    near(time_partial, derivative([&](double s) { return expression.value(s, values.data()); }, t), "time partial", t);
    near(total, jet.rate, "gradient along the motion", t);
  }
}

// u is the first signal and v the second one.
INSTANTIATE_TEST_SUITE_P(Smooth, ExpressionDerivatives,
                         ::testing::Values("L", "t", "u", "-u", "u + v", "u - v", "u*v", "u/v", "t*u/(1 + v)", "u^2",
                                           "u^3", "u^-1", "u^-3", "u^1", "u^0", "u^16", "u^20", "(-u)^3", "(-u)^-2",
                                           "(-u)^21", "u^0.5", "u^2.5", "u^-1.5", "u^v", "v^(u*t)", "2^u", "sin(u*t)",
                                           "cos(u*t)", "tan(u)", "asin(u - 0.2)", "acos(u - 0.2)", "atan(3*u)",
                                           "atan2(u, v)", "atan2(-u, v)", "atan2(u, -v)", "atan2(-u, -v)",
                                           "atan2(u, 2)", "sqrt(u)", "sqrt(u^2 + v^2)", "exp(u*v)", "log(u)", "abs(u)",
                                           "abs(-u)*u", "sign(u)*v", "min(u, 5 + v)", "max(u, 5 + v)",
                                           "min(9, u + 3, v)", "if(u > 0, sin(v), v)", "if(u < 0, v, u^2)", "(u > 0)*v",
                                           "step(u, 0, v, 2, 3*v)", "step(0.2, u - 1, v, u + 1, 3)",
                                           "step(u, 5, v^2, 6, 2)", "step(u, -2, 3, -1, v)", "2 + 0.01*sin(t)",
                                           "sin(2*pi*t)/(1 + t^2)", "30 deg*sin(u) deg", "exp(-u)*cos(3*v + t)^2"));

struct JetCase {
  const char* text;
  Jet u;
  Jet expected;
};
void PrintTo(const JetCase& jet_case, std::ostream* out) { *out << jet_case.text; }

class ExpressionJet : public ::testing::TestWithParam<JetCase> {};

TEST_P(ExpressionJet, IsExactAtSpecialPlaces) {
  const auto [text, u, expected] = GetParam();
  const auto expression = Expression::parse(text, full_scope());
  const Jet jet = expression.jet(0, &u);
  EXPECT_EQ(jet.value, expected.value);
  EXPECT_EQ(jet.rate, expected.rate);
  EXPECT_EQ(jet.acceleration, expected.acceleration);
  double partial = 0;
  EXPECT_EQ(expression.gradient(0, &u.value, &partial, nullptr), expected.value);
  // A case whose slope is infinite has u at rest: the partial itself may then be infinite.
  if (u.rate != 0) {
    EXPECT_EQ(partial * u.rate, expected.rate);
  }
}

constexpr double infinity = std::numeric_limits<double>::infinity();
INSTANTIATE_TEST_SUITE_P(
    Powers, ExpressionJet,
    ::testing::Values(JetCase{"u^2", {0, 3, 5}, {0, 0, 18}}, JetCase{"u^2", {-1, 3, 5}, {1, -6, 8}},
                      JetCase{"u^1", {0, 3, 5}, {0, 3, 5}}, JetCase{"u^0", {0, 3, 5}, {1, 0, 0}},
                      JetCase{"u^3", {0, 3, 5}, {0, 0, 0}}, JetCase{"u^20", {0, 3, 5}, {0, 0, 0}},
                      JetCase{"u^-1", {-2, 4, 0}, {-0.5, -1, -4}}, JetCase{"u^(1 + 1)", {0, 3, 5}, {0, 0, 18}},
                      JetCase{"u^if(t > 1, 3, 2)", {0, 3, 5}, {0, 0, 18}}, JetCase{"u^1.5", {0, 0, 5}, {0, 0, 0}},
                      JetCase{"u^1.5", {0, 1, 5}, {0, 0, infinity}}, JetCase{"u^(2 + t)", {0, 3, 5}, {0, 0, 18}}));
INSTANTIATE_TEST_SUITE_P(
    Kinks, ExpressionJet,
    ::testing::Values(JetCase{"abs(u)", {0, 3, 5}, {0, 0, 0}}, JetCase{"abs(u)", {-1, 3, 5}, {1, -3, -5}},
                      JetCase{"abs(u)*u", {0, 3, 5}, {0, 0, 0}}, JetCase{"sign(u)", {-2, 3, 5}, {-1, 0, 0}},
                      JetCase{"min(u, 1)", {2, 3, 5}, {1, 0, 0}}, JetCase{"max(u, 1)", {2, 3, 5}, {2, 3, 5}},
                      JetCase{"if(u, u, 7)", {0, 3, 5}, {7, 0, 0}},
                      JetCase{"if(u > 0, log(u), 7)", {0, 3, 5}, {7, 0, 0}}, JetCase{"u < 1", {0, 3, 5}, {1, 0, 0}},
                      JetCase{"step(u, 0, 2, 1, 3)", {0, 3, 5}, {2, 0, 0}},
                      JetCase{"step(u, 0, 2, 1, 3)", {1, 3, 5}, {3, 0, 0}},
                      JetCase{"step(u, 0, 2, 1, 4)", {0.5, 1, 0}, {3, 3, 0}}));
INSTANTIATE_TEST_SUITE_P(
    InfiniteSlopes, ExpressionJet,
    ::testing::Values(JetCase{"sqrt(u)", {0, 0, 0}, {0, 0, 0}}, JetCase{"sqrt(u)", {0, 1, 0}, {0, infinity, -infinity}},
                      JetCase{"sqrt(u^2)", {0, 3, 5}, {0, 0, 0}}, JetCase{"u + sqrt(0*u)", {2, 0, 0}, {2, 0, 0}},
                      JetCase{"asin(u)", {1, 0, 0}, {std::asin(1.0), 0, 0}}, JetCase{"u^0.5", {0, 0, 2}, {0, 0, 0}},
                      JetCase{"atan2(u, u)", {0, 1, 2}, {0, 0, 0}}));

TEST(ExpressionGradient, HasNoTimePartialWithoutTime) {
  const auto expression = Expression::parse("u*v", full_scope());
  const double values[] = {2, 3};
  double partials[2], time_partial = 99;
  EXPECT_EQ(expression.gradient(5, values, partials, &time_partial), 6);
  EXPECT_EQ(partials[0], 3);
  EXPECT_EQ(partials[1], 2);
  EXPECT_EQ(time_partial, 0);
  EXPECT_EQ(Expression(3.0).gradient(0, nullptr, nullptr, nullptr), 3);
}

}  // namespace expression_derivatives_test
}  // namespace bricard

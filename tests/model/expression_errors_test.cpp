// Text that is no expression: what is said, where, and that nothing breaks however bad the text is.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "bricard/expression.h"
#include "support/expression_scope.h"

namespace bricard {
namespace expression_errors_test {

using testing_support::empty_scope;
using testing_support::full_scope;

std::optional<ExpressionError> error_of(std::string_view text, const ExpressionScope& scope) {
  try {
    Expression::parse(text, scope);
    return std::nullopt;
  } catch (const ExpressionError& error) {
    return error;
  }
}

struct ErrorCase {
  const char* text;
  const char* message;
  std::size_t offset;
};
void PrintTo(const ErrorCase& error_case, std::ostream* out) { *out << error_case.text; }

class ExpressionErrors : public ::testing::TestWithParam<ErrorCase> {};

TEST_P(ExpressionErrors, SayWhatAndWhere) {
  const auto [text, message, offset] = GetParam();
  const auto error = error_of(text, full_scope());
  ASSERT_TRUE(error.has_value());
  EXPECT_STREQ(error->what(), message);
  EXPECT_EQ(error->offset, offset);
}

INSTANTIATE_TEST_SUITE_P(Names, ExpressionErrors,
                         ::testing::Values(ErrorCase{"1 + foobar", "unknown name 'foobar'", 4},
                                           ErrorCase{"maas*L", "unknown name 'maas'; did you mean 'mass'?", 0},
                                           ErrorCase{"2*l", "unknown name 'l'; did you mean 'L'?", 2},
                                           ErrorCase{"PI", "unknown name 'PI'; did you mean 'pi'?", 0},
                                           ErrorCase{"sine(1)", "unknown function 'sine'; did you mean 'sin'?", 0},
                                           ErrorCase{"1 + foobar(2)", "unknown function 'foobar'", 4},
                                           ErrorCase{"ange(A)", "unknown function 'ange'; did you mean 'angle'?", 0},
                                           ErrorCase{"2*sin", "'sin' needs arguments in parentheses", 2},
                                           ErrorCase{"angle + 1", "'angle' needs arguments in parentheses", 0},
                                           ErrorCase{"x( nowhere )", "unknown body 'nowhere'", 3}));
INSTANTIATE_TEST_SUITE_P(Arguments, ExpressionErrors,
                         ::testing::Values(ErrorCase{"1+sin(1, 2)", "'sin' takes 1 argument, 2 given", 2},
                                           ErrorCase{"sin()", "'sin' takes 1 argument, 0 given", 0},
                                           ErrorCase{"atan2(1)", "'atan2' takes 2 arguments, 1 given", 0},
                                           ErrorCase{"min(1)", "'min' takes 2 or more arguments, 1 given", 0},
                                           ErrorCase{"step(t,0,0,1)", "'step' takes 5 arguments, 4 given", 0},
                                           ErrorCase{"if(u,v)", "'if' takes 3 arguments, 2 given", 0},
                                           ErrorCase{"angle(A, B)", "'angle' takes 1 argument, 2 given", 0},
                                           ErrorCase{"distance(A)", "'distance' takes 2 arguments, 1 given", 0},
                                           ErrorCase{"angle()", "'angle' takes 1 argument, 0 given", 0},
                                           ErrorCase{"x(2)", "'x' takes a name in its parentheses", 2},
                                           ErrorCase{"x(A + B)", "unexpected '+'", 4},
                                           ErrorCase{"sin(,1)", "unexpected ','", 4},
                                           ErrorCase{"min(1,)", "unexpected ')'", 6}));
const char* const ambiguous_unit = "a unit after a division is ambiguous: write (1/2) deg or 1/(2 deg), not 1/2 deg";
INSTANTIATE_TEST_SUITE_P(
    Syntax, ExpressionErrors,
    ::testing::Values(ErrorCase{"1/2 deg", ambiguous_unit, 2}, ErrorCase{"t/-3 deg", ambiguous_unit, 3},
                      ErrorCase{"", "empty expression", 0}, ErrorCase{"  \n", "empty expression", 0},
                      ErrorCase{"(1 + 2", "missing ')'", 6}, ErrorCase{"sin(1", "missing ')'", 5},
                      ErrorCase{"x(A", "missing ')'", 3}, ErrorCase{"(1 2)", "missing operator before '2'", 3},
                      ErrorCase{"1 + ", "unexpected end of the expression", 4}, ErrorCase{"1)", "unexpected ')'", 1},
                      ErrorCase{"()", "unexpected ')'", 1}, ErrorCase{"1 2", "missing operator before '2'", 2},
                      ErrorCase{"2pi", "missing operator before 'pi'", 1},
                      ErrorCase{"L deg", "missing operator before 'deg'", 2},
                      ErrorCase{"3 deg deg", "missing operator before 'deg'", 6},
                      ErrorCase{"L(2)", "missing operator before '('", 1},
                      ErrorCase{"1.2.3", "missing operator before '.3'", 3}, ErrorCase{"1,2", "unexpected ','", 1},
                      ErrorCase{"2**3", "unexpected '*'; a power is written with '^'", 2},
                      ErrorCase{"1 = 2", "unexpected '='; equality is written with '=='", 2},
                      ErrorCase{"0 < t < 1", "comparisons cannot be chained; multiply them instead", 6},
                      ErrorCase{"*2", "unexpected '*'", 0}, ErrorCase{".", "unexpected '.'", 0},
                      ErrorCase{"1 \xe2\x88\x92 2", "unexpected '\xe2\x88\x92'", 2},
                      ErrorCase{"1\x01", "unexpected '\\x01'", 1}, ErrorCase{"1\xff", "unexpected '\\xff'", 1},
                      ErrorCase{"1+1e999", "number out of range", 2}, ErrorCase{"1e-999", "number out of range", 0}));

TEST(ExpressionScopeErrors, WhereThingsAreNotAllowed) {
  EXPECT_STREQ(error_of("1 + t", empty_scope())->what(), "time 't' is not allowed here");
  EXPECT_EQ(error_of("1 + t", empty_scope())->offset, 4u);
  EXPECT_STREQ(error_of("2*angle(A)", empty_scope())->what(), "signals such as 'angle(...)' are not allowed here");
  EXPECT_EQ(error_of("2*angle(A)", empty_scope())->offset, 2u);
  EXPECT_STREQ(error_of("foobar", empty_scope())->what(), "unknown name 'foobar'");
}

std::string repeated(std::string_view part, int count, std::string_view end = "") {
  std::string result;
  for (int i = 0; i < count; ++i) result += part;
  return result.append(end);
}

TEST(HostileExpressions, EndInAnErrorOrAValue) {
  constexpr int million = 1000000;
  for (const char* part : {"(", "2^", "-(", "sin(", "min(1,", "2^(", "if(1,2,", "1+(", "2^-", "step(t,"}) {
    const auto error = error_of(repeated(part, million, "1"), full_scope());
    ASSERT_TRUE(error.has_value()) << part;
    EXPECT_STREQ(error->what(), "the expression is nested too deeply") << part;
  }
  for (const char* part : {"^", "*", ")", ",", "\xff", "1 ", "a ", "..", "1e", "==", "!"}) {
    EXPECT_TRUE(error_of(repeated(part, million), full_scope()).has_value()) << part;
  }
  EXPECT_EQ(Expression::parse(repeated("-", million, "1"), full_scope()).value(0), 1);
  EXPECT_EQ(Expression::parse(repeated("1+", million, "1"), full_scope()).value(0), million + 1);
  EXPECT_EQ(Expression::parse("max(0" + repeated(",1", million, ")"), full_scope()).value(0), 1);
  EXPECT_EQ(Expression::parse(repeated("9", 300), full_scope()).value(0), 1e300);
  EXPECT_STREQ(error_of(repeated("9", million), full_scope())->what(), "number out of range");
  EXPECT_STREQ(error_of(repeated("t+", million, "1"), full_scope())->what(), "the expression is too long");
  EXPECT_STREQ(error_of("sin(1" + repeated(",1", million, ")"), full_scope())->what(),
               "'sin' takes 1 argument, 1000001 given");
  EXPECT_STREQ(error_of("angle(A" + repeated(",A", million, ")"), full_scope())->what(),
               "'angle' takes 1 argument, 1000001 given");
  EXPECT_EQ(error_of(repeated("a", million), full_scope())->what(), "unknown name '" + repeated("a", 40, "...'"));
  EXPECT_TRUE(error_of(std::string(million, '\0'), full_scope()).has_value());
}

TEST(HostileExpressions, NestingUpToTheLimitsWorks) {
  EXPECT_EQ(Expression::parse(repeated("(", 100, "7") + repeated(")", 100), full_scope()).value(0), 7);
  EXPECT_TRUE(error_of(repeated("(", 101, "7") + repeated(")", 101), full_scope()).has_value());
  EXPECT_EQ(Expression::parse(repeated("t+(", 63, "t") + repeated(")", 63), full_scope()).value(1), 64);
  EXPECT_TRUE(error_of(repeated("t+(", 64, "t") + repeated(")", 64), full_scope()).has_value());
  // The limit is on the result, not on the text: constants are worked out while reading.
  EXPECT_EQ(Expression::parse(repeated("t+", 4999, "2*3^2"), full_scope()).value(1), 4999 + 18);
}

TEST(HostileExpressions, RandomTextNeverBreaks) {
  const char* const parts[] = {
      "(", ")",  "+", "-",    "*",    "/",        "^",           ",",      "1",    "2.5", "t",
      "u", "v",  "L", "sin(", "min(", "if(",      "step(",       "atan2(", "x(",   "A",   "deg",
      "<", "==", " ", "1e",   ".",    "\xc3\xa9", "distance(P,", "0",      "sqrt("};
  std::mt19937 generator(1);
  std::uniform_int_distribution<std::size_t> part(0, std::size(parts) - 1), length(1, 12);
  const ExpressionScope scope = full_scope();
  int understood = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text;
    for (std::size_t k = length(generator); k > 0; --k) text += parts[part(generator)];
    try {
      const auto expression = Expression::parse(text, scope);
      ++understood;
      const std::vector<double> values(expression.signals().size(), 0.5);
      const std::vector<Jet> jets(expression.signals().size(), Jet{0.5, 1, 1});
      std::vector<double> partials(expression.signals().size());
      double time_partial = 0;
      expression.jet(0.5, jets.data());
      const double value = expression.value(0.5, values.data());
      const double same = expression.gradient(0.5, values.data(), partials.data(), &time_partial);
      EXPECT_TRUE(value == same || (std::isnan(value) && std::isnan(same))) << text;
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.offset, text.size()) << text;
      EXPECT_STRNE(error.what(), "") << text;
    }
  }
  EXPECT_GT(understood, 100);
}

}  // namespace expression_errors_test
}  // namespace bricard

// Recursive descent, from the loosest binding to the tightest:
//
//   comparison: sum [(< | <= | > | >= | == | !=) sum]        power:   primary [^ unary]
//   sum:        product {(+ | -) product}                    primary: (number | '(' comparison ')' | call) [deg] | name
//   product:    unary {(* | /) unary}                        call:    name '(' arguments ')'
//   unary:      {+ | -} power
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bricard/expression.h"
#include "model/expression_builder.h"
#include "model/expression_names.h"
#include "model/expression_program.h"
#include "model/expression_text.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

// Hostile text must end in an error, not in an overflow of the call stack.
constexpr int nesting_limit = 100;

void check_argument_count(std::string_view name, int needed, bool or_more, int given, std::size_t offset) {
  if (given == needed || (or_more && given > needed)) return;
  throw ExpressionError(fmt::format("'{}' takes {}{} argument{}, {} given", name, needed, or_more ? " or more" : "",
                                    needed == 1 ? "" : "s", given),
                        offset);
}

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const ExpressionScope& scope) : text_(text), scope_(scope) {}

  Expression parse() {
    if (text_.at_end()) throw ExpressionError("empty expression", 0);
    comparison();
    if (!text_.at_end()) text_.operator_missing();
    return program_.finish();
  }

 private:
  void comparison() {
    enter();
    sum();
    if (const auto operation = accept_comparison()) {
      sum();
      program_.emit(*operation);
      const std::size_t offset = text_.offset();
      if (accept_comparison()) throw ExpressionError("comparisons cannot be chained; multiply them instead", offset);
    }
    --nesting_;
  }

  std::optional<Operation> accept_comparison() {
    if (text_.accept("<=")) return Operation::less_or_equal;
    if (text_.accept("<")) return Operation::less;
    if (text_.accept(">=")) return Operation::greater_or_equal;
    if (text_.accept(">")) return Operation::greater;
    if (text_.accept("==")) return Operation::equal;
    if (text_.accept("!=")) return Operation::unequal;
    return std::nullopt;
  }

  void sum() {
    product();
    while (true) {
      if (text_.accept("+")) {
        product();
        program_.emit(Operation::add);
      } else if (text_.accept("-")) {
        product();
        program_.emit(Operation::subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    unary();
    while (true) {
      if (text_.accept("*")) {
        unary();
        program_.emit(Operation::multiply);
      } else if (text_.accept("/")) {
        divides_ = true;
        unary();
        program_.emit(Operation::divide);
      } else {
        return;
      }
    }
  }

  void unary() {
    bool negative = false;
    while (true) {
      if (text_.accept("-")) {
        negative = !negative;
      } else if (!text_.accept("+")) {
        break;
      }
    }
    power();
    if (negative) program_.emit(Operation::negate);
  }

  void power() {
    primary();
    if (!text_.accept("^")) return;
    enter();
    unary();
    --nesting_;
    program_.emit_power();
  }

  void primary() {
    const bool divides = std::exchange(divides_, false);
    const std::size_t offset = text_.offset();
    const bool bare = text_.at_number();
    if (bare) {
      program_.push_constant(text_.number());
    } else if (text_.accept("(")) {
      comparison();
      close();
    } else if (!name()) {
      return;  // a plain name takes no unit
    }
    if (text_.accept_word("deg")) {
      // A unit binds closest, which who writes 360/5 deg does not mean.
      if (divides && bare)
        throw ExpressionError("a unit after a division is ambiguous: write (1/2) deg or 1/(2 deg), not 1/2 deg",
                              offset);
      program_.push_constant(find_named(named_constants(), "deg")->value);
      program_.emit(Operation::multiply);
    }
  }

  void close() {
    if (text_.accept(")")) return;
    if (text_.at_end()) throw ExpressionError("missing ')'", text_.offset());
    text_.operator_missing();
  }

  /// A name or a call; true if it ended with a closing parenthesis.
  bool name() {
    const std::size_t offset = text_.offset();
    const std::string name(text_.accept_name());
    if (name.empty()) text_.operand_missing();
    const bool is_call = text_.next() == '(';
    const NamedFunction* function = find_named(named_functions(), name);
    const NamedSignal* signal = find_named(named_signals(), name);
    if (is_call && function != nullptr) {
      call(*function, offset);
      return true;
    }
    if (is_call && signal != nullptr) {
      call(*signal, offset);
      return true;
    }
    if (push_named(name, offset)) return false;
    if (function != nullptr || (signal != nullptr && scope_.signal)) {
      throw ExpressionError(fmt::format("'{}' needs arguments in parentheses", name), offset);
    }
    throw ExpressionError(
        fmt::format("unknown {} {}{}", is_call ? "function" : "name", quoted(name), suggestion(name, known(is_call))),
        offset);
  }

  /// A name that stands for a number: free variable, time, constant or parameter.
  bool push_named(const std::string& name, std::size_t offset) {
    const auto variable = std::find(scope_.variables.begin(), scope_.variables.end(), name);
    if (variable != scope_.variables.end()) {
      program_.push_signal(
          {.quantity = Quantity::variable, .target = static_cast<int>(variable - scope_.variables.begin())});
    } else if (name == "t") {
      if (!scope_.time) throw ExpressionError("time 't' is not allowed here", offset);
      program_.push_time();
    } else if (const NamedConstant* constant = find_named(named_constants(), name)) {
      program_.push_constant(constant->value);
    } else if (const double* parameter = scope_.parameter ? scope_.parameter(name) : nullptr) {
      program_.push_constant(*parameter);
    } else {
      return false;
    }
    return true;
  }

  /// What a misspelt name may have meant.
  std::vector<std::string> known(bool only_functions) const {
    std::vector<std::string> names;
    if (!only_functions) {
      names = scope_.parameter_names;
      names.insert(names.end(), scope_.variables.begin(), scope_.variables.end());
      if (scope_.time) names.emplace_back("t");
      for (const NamedConstant& constant : named_constants()) names.emplace_back(constant.name);
    }
    for (const NamedFunction& function : named_functions()) names.emplace_back(function.name);
    if (scope_.signal) {
      for (const NamedSignal& signal : named_signals()) names.emplace_back(signal.name);
    }
    return names;
  }

  void call(const NamedFunction& function, std::size_t offset) {
    text_.accept("(");
    int given = 0;
    if (text_.next() != ')') {
      do {
        const std::size_t size_before = program_.size();
        comparison();
        ++given;
        if (function.or_more && given >= function.arguments) {
          program_.emit(function.operation);
        } else if (given > function.arguments) {  // superfluous: only counted, for the message
          program_.drop_operand(size_before);
        }
      } while (text_.accept(","));
    }
    close();
    check_argument_count(function.name, function.arguments, function.or_more, given, offset);
    if (!function.or_more) program_.emit(function.operation);
  }

  void call(const NamedSignal& signal, std::size_t offset) {
    if (!scope_.signal) {
      throw ExpressionError(fmt::format("signals such as '{}(...)' are not allowed here", signal.name), offset);
    }
    text_.accept("(");
    const std::size_t first_argument = text_.offset();
    std::vector<std::string> arguments;
    if (text_.next() != ')') {
      do {
        const std::size_t argument = text_.offset();
        arguments.emplace_back(text_.accept_name(true));
        if (arguments.back().empty()) {
          throw ExpressionError(fmt::format("'{}' takes a name in its parentheses", signal.name), argument);
        }
      } while (text_.accept(","));
    }
    close();
    check_argument_count(signal.name, signal.arguments, false, static_cast<int>(arguments.size()), offset);
    Signal resolved;
    try {
      resolved = scope_.signal(signal.quantity, arguments);
    } catch (const std::runtime_error& error) {
      throw ExpressionError(error.what(), first_argument);
    }
    program_.push_signal(resolved);
  }

  void enter() {
    if (++nesting_ > nesting_limit) throw ExpressionError("the expression is nested too deeply", text_.offset());
  }

  ExpressionText text_;
  const ExpressionScope& scope_;
  ExpressionBuilder program_{text_};
  bool divides_ = false;  // the next operand is what is divided by
  int nesting_ = -1;      // parentheses, calls and exponents that are open; the whole expression is none
};

}  // namespace

Expression Expression::parse(std::string_view text, const ExpressionScope& scope) {
  return ExpressionParser(text, scope).parse();
}

}  // namespace bricard

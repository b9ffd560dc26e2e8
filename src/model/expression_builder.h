// Builds the program of an expression, operands before their operation. An operation whose operands are all constants
// finds them at the program's end and is replaced by its value at once: parameters cost nothing at run time.
#pragma once

#include <cstddef>
#include <functional>

#include "bricard/expression.h"
#include "model/expression_program.h"
#include "model/expression_text.h"

namespace bricard {

class ExpressionBuilder {
 public:
  /// `text` is the text that is being read: errors point to where reading has got to.
  explicit ExpressionBuilder(const ExpressionText& text);

  void push_constant(double value);
  void push_time();
  void push_signal(const Signal& signal);
  /// Applies an operation to the operands that were pushed last.
  void emit(Operation operation);
  void emit_power();

  std::size_t size() const { return expression_.program_.size(); }
  /// Forgets the operand that was pushed since the program had that size.
  void drop_operand(std::size_t size);
  Expression finish();

  /// The same expression where time, signals and the result are measured in other units: what it reads is multiplied by
  /// `time` and by `size_of` the signal, what it gives by `result`; `moved` gives signals their places in those units.
  static Expression in_units(const Expression& expression, double time, double result,
                             const std::function<double(const Signal&)>& size_of,
                             const std::function<Signal(const Signal&)>& moved);

 private:
  using Instruction = Expression::Instruction;
  static bool is_constant(const Instruction& instruction);
  void push(Operation operation, int argument, double constant);
  void emit(Operation operation, int argument, double constant);
  void append(const Instruction& instruction);

  const ExpressionText& text_;
  Expression expression_;
  int depth_ = 0;  // of the evaluation stack after the program so far
};

}  // namespace bricard

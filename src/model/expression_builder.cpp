#include "model/expression_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace bricard {
namespace {

constexpr std::size_t program_limit = 10000;
// Larger exponents are left to std::pow: multiplying out would lose accuracy.
constexpr double multiplied_out_limit = 16;

}  // namespace

ExpressionBuilder::ExpressionBuilder(const ExpressionText& text) : text_(text) { expression_.program_.clear(); }

void ExpressionBuilder::push_constant(double value) { push(Operation::constant, 0, value); }

void ExpressionBuilder::push_time() { push(Operation::time, 0, 0); }

void ExpressionBuilder::push_signal(const Signal& signal) {
  auto& signals = expression_.signals_;
  const auto place = std::find(signals.begin(), signals.end(), signal);
  const int number = static_cast<int>(place - signals.begin());
  if (place == signals.end()) signals.push_back(signal);
  push(Operation::signal, number, 0);
}

void ExpressionBuilder::emit(Operation operation) { emit(operation, 0, 0); }

/// Constant exponents have operations of their own, whose derivatives exist for x <= 0 too.
void ExpressionBuilder::emit_power() {
  const Instruction exponent = expression_.program_.back();
  if (!is_constant(exponent)) {
    emit(Operation::power);
    return;
  }
  drop_operand(size() - 1);
  const double y = exponent.constant;
  if (std::abs(y) <= multiplied_out_limit && y == std::round(y)) {
    emit(Operation::integer_power, static_cast<int>(y), 0);
  } else {
    emit(Operation::constant_power, 0, y);
  }
}

void ExpressionBuilder::drop_operand(std::size_t size) {
  expression_.program_.resize(size);
  --depth_;
}

Expression ExpressionBuilder::finish() {
  expression_.text_ = text_.all();
  expression_.find_switches();
  return std::move(expression_);
}

Expression ExpressionBuilder::in_units(const Expression& expression, double time, double result,
                                       const std::function<double(const Signal&)>& size_of,
                                       const std::function<Signal(const Signal&)>& moved) {
  const ExpressionText text(expression.text());
  ExpressionBuilder program(text);
  const auto scale = [&](double factor) {
    if (factor == 1) return;
    program.push_constant(factor);
    program.emit(Operation::multiply);
  };
  for (const Instruction& instruction : expression.program_) {
    const auto operation = static_cast<Operation>(instruction.operation);
    if (operation == Operation::constant) {
      program.push_constant(instruction.constant);
    } else if (operation == Operation::time) {
      program.push_time();
      scale(time);
    } else if (operation == Operation::signal) {
      const Signal& signal = expression.signals()[static_cast<std::size_t>(instruction.argument)];
      program.push_signal(moved(signal));
      scale(size_of(signal));
    } else {
      program.emit(operation, operation == Operation::integer_power ? instruction.argument : 0, instruction.constant);
    }
  }
  scale(result);
  return program.finish();
}

bool ExpressionBuilder::is_constant(const Instruction& instruction) {
  return instruction.operation == static_cast<int>(Operation::constant);
}

void ExpressionBuilder::push(Operation operation, int argument, double constant) {
  if (++depth_ > stack_limit) throw ExpressionError("the expression is nested too deeply", text_.offset());
  append({static_cast<int>(operation), argument, constant});
}

void ExpressionBuilder::emit(Operation operation, int argument, double constant) {
  const int count = operand_count(operation);
  depth_ -= count - 1;
  auto& program = expression_.program_;
  const auto operands = program.end() - count;
  if (!std::all_of(operands, program.end(), is_constant)) {
    append({static_cast<int>(operation), argument, constant});
    return;
  }
  std::array<double, operand_limit> stack{};
  std::transform(operands, program.end(), stack.begin(), [](const Instruction& operand) { return operand.constant; });
  apply(operation, argument, constant, stack.data() + count);
  operands->constant = stack[0];
  program.erase(operands + 1, program.end());
}

void ExpressionBuilder::append(const Instruction& instruction) {
  if (size() >= program_limit) throw ExpressionError("the expression is too long", text_.offset());
  expression_.program_.push_back(instruction);
}

}  // namespace bricard

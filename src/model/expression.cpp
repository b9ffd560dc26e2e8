// Evaluation: a stack machine over a flat program, run with plain numbers, dual numbers or second-order Taylor numbers.
#include "model/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/expression_program.h"

namespace bricard {

Expression::Expression(double constant)
    : program_{{static_cast<int>(Operation::constant), 0, constant}}, text_(fmt::format("{}", constant)) {}

bool Expression::is_constant() const { return signals_.empty() && !uses_time(); }

bool Expression::uses_time() const {
  return std::any_of(program_.begin(), program_.end(), [](const Instruction& instruction) {
    return instruction.operation == static_cast<int>(Operation::time);
  });
}

bool Expression::uses_velocity() const {
  return std::any_of(signals_.begin(), signals_.end(),
                     [](const Signal& signal) { return is_velocity(signal.quantity); });
}

template <class Scalar, class SignalValue>
Scalar Expression::run(const Scalar& time, const SignalValue& signal_value) const {
  std::array<Scalar, stack_limit> stack;  // the parser has checked that the program fits
  Scalar* top = stack.data();
  for (const Instruction& instruction : program_) {
    const auto operation = static_cast<Operation>(instruction.operation);
    switch (operation) {
      case Operation::constant: *top++ = constant_of<Scalar>(instruction.constant); break;
      case Operation::time: *top++ = time; break;
      case Operation::signal: *top++ = signal_value(instruction.argument); break;
      default: top = apply(operation, instruction.argument, instruction.constant, top);
    }
  }
  return stack[0];
}

double Expression::value(double t, const double* signals) const {
  return run<double>(t, [signals](int k) { return signals[k]; });
}

Jet Expression::jet(double t, const Jet* signals) const {
  const auto result = run<Taylor>({t, 1, 0}, [signals](int k) {
    return Taylor{signals[k].value, signals[k].rate, signals[k].acceleration};
  });
  return {result.value, result.rate, result.acceleration};
}

double Expression::gradient(double t, const double* signals, double* partials, double* time_partial) const {
  // One pass for each variable, in which that variable alone moves; number -1 is time.
  const auto pass = [this, t, signals](int moving) {
    return run<Dual>({t, moving == -1 ? 1.0 : 0.0}, [signals, moving](int k) {
      return Dual{signals[k], k == moving ? 1.0 : 0.0};
    });
  };
  const int count = static_cast<int>(signals_.size());
  for (int k = 0; k < count; ++k) partials[k] = pass(k).rate;
  if (time_partial != nullptr) *time_partial = uses_time() ? pass(-1).rate : 0;
  return value(t, signals);
}

}  // namespace bricard

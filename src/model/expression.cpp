// Evaluation: a stack machine over a flat program, run with plain numbers, dual numbers or second-order Taylor numbers.
#include "bricard/expression.h"

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

namespace {

bool has_value(double x) { return !std::isnan(x); }
bool has_value(const Dual& x) { return !std::isnan(x.value + x.rate); }
bool has_value(const Taylor& x) { return !std::isnan(x.value + x.rate + x.acceleration); }

/// Every operation follows its arguments.
struct FreeBranches {
  template <class Scalar>
  Scalar* apply(Operation operation, int argument, double constant, Scalar* top) const {
    return bricard::apply(operation, argument, constant, top);
  }
};

/// Every operation keeps the branch of its sign.
struct HeldBranches {
  const Sign* signs;
  template <class Scalar>
  Scalar* apply(Operation operation, int argument, double constant, Scalar* top) const {
    const int functions = function_count(operation);
    if (functions == 0 || argument < 0 || signs[argument] == free_sign || signs[argument + functions - 1] == free_sign)
      return bricard::apply(operation, argument, constant, top);
    Scalar* first = top - operand_count(operation);
    *first = branch_of(operation, first, signs + argument);
    return first + 1;
  }
};

/// Either, writing down the switching functions on the way.
template <class Value>
struct RecordedBranches {
  const Sign* signs;
  Value* functions;
  template <class Scalar>
  Scalar* apply(Operation operation, int argument, double constant, Scalar* top) const {
    if (function_count(operation) > 0 && argument >= 0)
      switching_functions(operation, top - operand_count(operation), functions + argument);
    return signs ? HeldBranches{signs}.apply(operation, argument, constant, top)
                 : bricard::apply(operation, argument, constant, top);
  }
};

}  // namespace

template <class Scalar, class SignalValue, class Branches>
Scalar Expression::run(int begin, int end, const Scalar& time, const SignalValue& signal_value,
                       const Branches& branches) const {
  std::array<Scalar, stack_limit> stack;  // the parser has checked that the program fits
  Scalar* top = stack.data();
  for (const Instruction *next = program_.data() + begin, *last = program_.data() + end; next != last; ++next) {
    const Instruction& instruction = *next;
    const auto operation = static_cast<Operation>(instruction.operation);
    switch (operation) {
      case Operation::constant: *top++ = constant_of<Scalar>(instruction.constant); break;
      case Operation::time: *top++ = time; break;
      case Operation::signal: *top++ = signal_value(instruction.argument); break;
      default: top = branches.apply(operation, instruction.argument, instruction.constant, top);
    }
  }
  return stack[0];
}

// A branch that is kept beyond its end may have no value there: max(x, 0)^1.5 where x has just become negative, within
// a step that will be found to have gone too far. Then the branches are free.
template <class Scalar, class SignalValue>
Scalar Expression::run(const Scalar& time, const SignalValue& signal_value, const Sign* signs) const {
  const int size = static_cast<int>(program_.size());
  if (signs) {
    const Scalar held = run(0, size, time, signal_value, HeldBranches{signs});
    if (has_value(held)) return held;
  }
  return run(0, size, time, signal_value, FreeBranches{});
}

double Expression::value(double t, const double* signals, const Sign* signs) const {
  return run<double>(
      t, [signals](int k) { return signals[k]; }, signs);
}

Jet Expression::jet(double t, const Jet* signals, const Sign* signs) const {
  const auto result = run<Taylor>(
      {t, 1, 0},
      [signals](int k) {
        return Taylor{signals[k].value, signals[k].rate, signals[k].acceleration};
      },
      signs);
  return {result.value, result.rate, result.acceleration};
}

double Expression::gradient(double t, const double* signals, double* partials, double* time_partial,
                            const Sign* signs) const {
  // One pass for each variable, in which that variable alone moves; number -1 is time.
  const auto pass = [this, t, signals, signs](int moving) {
    return run<Dual>(
        {t, moving == -1 ? 1.0 : 0.0},
        [signals, moving](int k) {
          return Dual{signals[k], k == moving ? 1.0 : 0.0};
        },
        signs);
  };
  const int count = static_cast<int>(signals_.size());
  for (int k = 0; k < count; ++k) partials[k] = pass(k).rate;
  if (time_partial != nullptr) *time_partial = uses_time() ? pass(-1).rate : 0;
  return value(t, signals, signs);
}

// --- switching functions ---

void Expression::switching(double t, const double* signals, const Sign* signs, double* values) const {
  run(
      0, static_cast<int>(program_.size()), t, [signals](int k) { return signals[k]; },
      RecordedBranches<double>{signs, values});
}

void Expression::switching_by_time(double t, Jet* values) const {
  std::vector<Taylor> functions(switches_.size());
  run(
      0, static_cast<int>(program_.size()), Taylor{t, 1, 0},
      [](int) {
        return Taylor{0, 0, 0};
      },
      RecordedBranches<Taylor>{nullptr, functions.data()});
  std::transform(functions.begin(), functions.end(), values, [](const Taylor& g) {
    return Jet{g.value, g.rate, g.acceleration};
  });
}

Jet Expression::time_part(int k, double t, const Sign* signs) const {
  const TimePart& part = time_parts_[k];
  const auto none = [](int) { return Taylor{0, 0, 0}; };
  const Taylor time{t, 1, 0};
  const Taylor result = signs ? run(part.begin, part.end, time, none, HeldBranches{signs})
                              : run(part.begin, part.end, time, none, FreeBranches{});
  return {result.value, result.rate, result.acceleration};
}

void Expression::find_switches() {
  struct Operand {
    int begin, end;
    bool time, signal, polynomial, tame;
    bool stepped;  // changes only where a comparison or a sign below it does
  };
  std::vector<Operand> stack;
  switches_.clear(), time_parts_.clear();
  const auto keep = [this](const Operand& operand) {
    if (operand.time && !operand.signal)
      time_parts_.push_back({operand.begin, operand.end, operand.polynomial, operand.tame});
  };
  for (int i = 0; i < static_cast<int>(program_.size()); ++i) {
    Instruction& instruction = program_[i];
    const auto operation = static_cast<Operation>(instruction.operation);
    const int count = operand_count(operation);
    if (count == 0) {
      stack.push_back({i, i + 1, operation == Operation::time, operation == Operation::signal, true, true,
                       operation == Operation::constant});
      continue;
    }
    const Operand* first = stack.data() + stack.size() - count;
    if (const int functions = function_count(operation)) {
      instruction.argument = static_cast<int>(switches_.size());
      Operand deciding = first[0];
      const auto also = [&deciding](const Operand& operand) {
        deciding.signal |= operand.signal, deciding.tame &= operand.tame, deciding.stepped &= operand.stepped;
      };
      if (operation == Operation::smooth_step) also(first[1]), also(first[3]);
      if (count == 2) also(first[1]);
      if (deciding.stepped) {
        instruction.argument = -1;  // follows from the switches below it
      } else {
        switches_.insert(switches_.end(), functions, {!deciding.signal});
        if (!deciding.signal && !deciding.tame) switches_tamely_ = false;
      }
    }
    Operand all = first[0];
    all.end = i + 1;
    for (int k = 1; k < count; ++k) {
      all.time |= first[k].time, all.signal |= first[k].signal;
      all.polynomial &= first[k].polynomial, all.tame &= first[k].tame, all.stepped &= first[k].stepped;
    }
    if (all.signal) {
      for (int k = 0; k < count; ++k) keep(first[k]);
      all.time = false;  // its parts are known
    }
    const bool divides_by_constant = operation == Operation::divide && !first[1].time && !first[1].signal;
    const bool is_power = operation == Operation::integer_power && instruction.argument >= 0;
    const bool polynomial = operation == Operation::negate || operation == Operation::add ||
                            operation == Operation::subtract || operation == Operation::multiply ||
                            divides_by_constant || is_power || function_count(operation) > 0;
    const bool sine = operation == Operation::sine || operation == Operation::cosine;
    const bool constant = !all.time;
    if (operation == Operation::choose) all.stepped = first[1].stepped && first[2].stepped;
    all.stepped |= operation == Operation::sign || (operation >= Operation::less && operation <= Operation::unequal);
    all.polynomial &= constant || polynomial;
    all.tame &= constant || polynomial || sine;
    stack.resize(stack.size() - count);
    stack.push_back(all);
  }
  if (!stack.empty()) keep(stack.back());
}

}  // namespace bricard

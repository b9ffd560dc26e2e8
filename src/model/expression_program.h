// The operations of a parsed expression and what each does to the evaluation stack, for any of the scalar types.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdlib>

#include "model/expression_scalar.h"

namespace bricard {

enum class Operation : int {
  // Push one value.
  constant,
  time,
  signal,
  // One operand.
  negate,
  integer_power,
  constant_power,
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  square_root,
  exponential,
  logarithm,
  absolute,
  sign,
  // Two operands.
  add,
  subtract,
  multiply,
  divide,
  power,
  arc_tangent2,
  minimum,
  maximum,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  equal,
  unequal,
  // Three and five.
  choose,
  smooth_step,
};

/// Depth of the evaluation stack; the parser refuses what would need more.
inline constexpr int stack_limit = 64;
inline constexpr int operand_limit = 5;

constexpr int operand_count(Operation operation) {
  if (operation <= Operation::signal) return 0;
  if (operation <= Operation::sign) return 1;
  if (operation <= Operation::unequal) return 2;
  return operation == Operation::choose ? 3 : operand_limit;
}

/// Multiplied out: exact for squares and cubes, for negative x and for x = 0; 0^0 = 1.
inline double integer_power(double x, int exponent) {
  double result = 1;
  for (int n = std::abs(exponent); n > 0; n /= 2, x *= x) {
    if (n % 2 == 1) result *= x;
  }
  return exponent < 0 ? 1 / result : result;
}

template <class Scalar>
Scalar integer_power_of(const Scalar& x, int n) {
  const double v = value_of(x);
  // Vanishing factors first: their powers may be infinite at x = 0.
  return compose(x, integer_power(v, n), [v, n] {
    return Slopes{n == 0 ? 0.0 : n * integer_power(v, n - 1),
                  n == 0 || n == 1 ? 0.0 : n * (n - 1.0) * integer_power(v, n - 2)};
  });
}

template <class Scalar>
Scalar constant_power_of(const Scalar& x, double y) {
  const double v = value_of(x);
  return compose(x, std::pow(v, y), [v, y] {
    return Slopes{y == 0 ? 0.0 : y * std::pow(v, y - 1), y == 0 || y == 1 ? 0.0 : y * (y - 1) * std::pow(v, y - 2)};
  });
}

template <class Scalar>
Scalar logarithm_of(const Scalar& x) {
  const double v = value_of(x);
  return compose(x, std::log(v), [v] { return Slopes{1 / v, -1 / (v * v)}; });
}

/// x^y = exp(y log x); at x = 0 and for an exponent that does not move, only x matters.
template <class Scalar>
Scalar power_of(const Scalar& x, const Scalar& y) {
  if (is_motionless(y) || value_of(x) == 0) return constant_power_of(x, value_of(y));
  const double f = std::pow(value_of(x), value_of(y));
  return compose(y * logarithm_of(x), f, [f] { return Slopes{f, f}; });
}

/// From h0 at x0 to h1 at x1, whichever of x0 and x1 is larger, by the cubic 3 s^2 - 2 s^3; h0 and h1 beyond them.
template <class Scalar>
Scalar smooth_step_between(const Scalar& x, const Scalar& x0, const Scalar& h0, const Scalar& x1, const Scalar& h1) {
  const Scalar s = (x - x0) / (x1 - x0);
  return h0 + (h1 - h0) * (s * s * (constant_of<Scalar>(3) - constant_of<Scalar>(2) * s));
}
template <class Scalar>
Scalar smooth_step_of(const Scalar& x, const Scalar& x0, const Scalar& h0, const Scalar& x1, const Scalar& h1) {
  if (value_of(x0) > value_of(x1)) return smooth_step_of(x, x1, h1, x0, h0);
  if (value_of(x) <= value_of(x0)) return h0;
  if (value_of(x) >= value_of(x1)) return h1;
  return smooth_step_between(x, x0, h0, x1, h1);
}

template <class Scalar>
Scalar function_of(Operation operation, const Scalar& x) {
  const double v = value_of(x);
  switch (operation) {
    case Operation::negate: return -x;
    case Operation::sine: return compose(x, std::sin(v), [v] { return Slopes{std::cos(v), -std::sin(v)}; });
    case Operation::cosine: return compose(x, std::cos(v), [v] { return Slopes{-std::sin(v), -std::cos(v)}; });
    case Operation::tangent: {
      const double f = std::tan(v);
      return compose(x, f, [f] { return Slopes{1 + f * f, 2 * f * (1 + f * f)}; });
    }
    case Operation::arc_sine:
    case Operation::arc_cosine: {
      const bool is_sine = operation == Operation::arc_sine;
      return compose(x, is_sine ? std::asin(v) : std::acos(v), [v, is_sine] {
        const double slope = (is_sine ? 1 : -1) / std::sqrt((1 - v) * (1 + v));
        return Slopes{slope, v * slope / ((1 - v) * (1 + v))};
      });
    }
    case Operation::arc_tangent:
      return compose(x, std::atan(v), [v] {
        const double slope = 1 / (1 + v * v);
        return Slopes{slope, -2 * v * slope * slope};
      });
    case Operation::square_root: {
      const double f = std::sqrt(v);
      return compose(x, f, [v, f] { return Slopes{0.5 / f, -0.25 / (f * v)}; });
    }
    case Operation::exponential: {
      const double f = std::exp(v);
      return compose(x, f, [f] { return Slopes{f, f}; });
    }
    case Operation::logarithm: return logarithm_of(x);
    case Operation::absolute:
      if (v == 0) return constant_of<Scalar>(0);
      return v < 0 ? -x : x;
    case Operation::sign: return constant_of<Scalar>(std::isnan(v) ? v : (v > 0) - (v < 0));
    default: assert(!"not a function of one operand"); return x;
  }
}

template <class Scalar>
Scalar function_of(Operation operation, const Scalar& a, const Scalar& b) {
  const double x = value_of(a), y = value_of(b);
  switch (operation) {
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::divide: return a / b;
    case Operation::power: return power_of(a, b);
    case Operation::arc_tangent2: return arc_tangent(a, b);
    // A NaN is handed on, whichever operand it is in.
    case Operation::minimum: return y < x || std::isnan(y) ? b : a;
    case Operation::maximum: return y > x || std::isnan(y) ? b : a;
    case Operation::less: return constant_of<Scalar>(x < y);
    case Operation::less_or_equal: return constant_of<Scalar>(x <= y);
    case Operation::greater: return constant_of<Scalar>(x > y);
    case Operation::greater_or_equal: return constant_of<Scalar>(x >= y);
    case Operation::equal: return constant_of<Scalar>(x == y);
    case Operation::unequal: return constant_of<Scalar>(x != y);
    default: assert(!"not a function of two operands"); return a;
  }
}

/// Replaces the operands below `top` by the result and gives the new top. Not for operations that push.
template <class Scalar>
Scalar* apply(Operation operation, int argument, double constant, Scalar* top) {
  const int count = operand_count(operation);
  Scalar* first = top - count;
  if (count == 2) {
    first[0] = function_of(operation, first[0], first[1]);
  } else if (operation == Operation::integer_power) {
    first[0] = integer_power_of(first[0], argument);
  } else if (operation == Operation::constant_power) {
    first[0] = constant_power_of(first[0], constant);
  } else if (count == 1) {
    first[0] = function_of(operation, first[0]);
  } else if (operation == Operation::choose) {
    first[0] = value_of(first[0]) > 0 ? first[1] : first[2];
  } else {
    first[0] = smooth_step_of(first[0], first[1], first[2], first[3], first[4]);
  }
  return first + 1;
}

// --- switching functions ---

/// In place of a sign: follows its argument.
inline constexpr signed char free_sign = 2;

constexpr int function_count(Operation operation) {
  if (operation == Operation::smooth_step) return 2;
  return operation == Operation::absolute || operation == Operation::sign ||
                 (operation >= Operation::minimum && operation <= Operation::choose)
             ? 1
             : 0;
}

/// The functions by whose signs an operation branches: x; b - a; the condition; the distances from the lower and from
/// the upper end of a step.
template <class Scalar>
void switching_functions(Operation operation, const Scalar* operands, Scalar* functions) {
  switch (operation) {
    case Operation::absolute:
    case Operation::sign:
    case Operation::choose: functions[0] = operands[0]; break;
    case Operation::smooth_step: {
      const bool falls = value_of(operands[1]) > value_of(operands[3]);
      functions[0] = operands[0] - operands[falls ? 3 : 1];
      functions[1] = operands[0] - operands[falls ? 1 : 3];
      break;
    }
    default: functions[0] = operands[1] - operands[0];
  }
}

/// The operation with the branch that belongs to given signs of its switching functions.
template <class Scalar>
Scalar branch_of(Operation operation, const Scalar* x, const signed char* sign) {
  switch (operation) {
    case Operation::absolute: return *sign < 0 ? -x[0] : *sign > 0 ? x[0] : constant_of<Scalar>(0);
    case Operation::sign: return constant_of<Scalar>(*sign);
    case Operation::minimum: return *sign < 0 ? x[1] : x[0];
    case Operation::maximum: return *sign > 0 ? x[1] : x[0];
    case Operation::less: return constant_of<Scalar>(*sign > 0);
    case Operation::less_or_equal: return constant_of<Scalar>(*sign >= 0);
    case Operation::greater: return constant_of<Scalar>(*sign < 0);
    case Operation::greater_or_equal: return constant_of<Scalar>(*sign <= 0);
    case Operation::equal: return constant_of<Scalar>(*sign == 0);
    case Operation::unequal: return constant_of<Scalar>(*sign != 0);
    case Operation::choose: return *sign > 0 ? x[1] : x[2];
    case Operation::smooth_step: {
      const bool falls = value_of(x[1]) > value_of(x[3]);
      if (sign[0] <= 0) return falls ? x[4] : x[2];
      if (sign[1] >= 0) return falls ? x[2] : x[4];
      return smooth_step_between(x[0], x[1], x[2], x[3], x[4]);
    }
    default: assert(!"an operation without branches"); return x[0];
  }
}

}  // namespace bricard

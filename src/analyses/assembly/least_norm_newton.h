// Newton's method onto constraints from any position, by steps of least norm (Gauss-Newton), which are shortened until
// they help. Beside it there are two more: in the metric of M with kept factors (dynamics/constraint_newton.h), and
// with kept independent coordinates (formulations/partition_newton.h).
#pragma once

#include <algorithm>
#include <cmath>

#include "bricard/types.h"

namespace bricard {

struct LeastNormLimits {
  double tolerance;           // of the error
  int iterations;             // at most
  double longest = INFINITY;  // step: beyond, the linearisation means nothing
  int trials = 1;             // of each step, each half as long as the one before
  double stalled = 0.999;     // the error relative to the one before at which it is as good as it gets
};

/// `error(q)`: its size at q; `step()`: finds the step from where error() was asked last and returns its length,
/// INFINITY if there is none; `move(q, factor)`: along it. Returns the error at the end, where error() was asked last.
template <class Error, class Step, class Move>
double least_norm_newton(Vector& q, const LeastNormLimits& limits, const Error& error, const Step& step,
                         const Move& move) {
  double now = error(q);
  Vector trial;
  for (int iteration = 0; iteration < limits.iterations && now > limits.tolerance; ++iteration) {
    const double length = step();
    if (!std::isfinite(length)) break;
    double factor = std::min(1.0, limits.longest / std::max(length, 1e-30)), next = now;
    for (int k = 0; k < limits.trials; ++k, factor /= 2) {
      trial = q;
      move(trial, factor);
      next = error(trial);
      if (next < now) break;
    }
    if (!(next < now)) return error(q);
    q = trial;
    const bool stalled = next > limits.stalled * now;
    now = next;
    if (stalled) break;
  }
  return now;
}

}  // namespace bricard

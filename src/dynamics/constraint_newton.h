// Newton iterations onto the constraints in the metric of M, which engines with a factorised S = P M^-1 P^T share.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "bricard/model.h"

namespace bricard {

/// Rows are lengths, angles, or rates of either: all are judged against lengths of the model's size.
inline double constraint_tolerance(const Model& model) { return 1e-13 * std::max(1.0, model.characteristic_length()); }

/// Puts positions onto the constraints: one factorisation serves all iterations, since states are near the constraints
/// to begin with. `errors()`: the largest |Phi| here; `factorize()`: false if it cannot; `step()`: one iteration.
/// `is_factorized`: near enough for a simplified Newton iteration. False, with the reason in `failure` unless
/// factorize() has told it.
template <class Errors, class Factorize, class Step>
bool project_positions(double tolerance, bool& is_factorized, const Errors& errors, const Factorize& factorize,
                       const Step& step, std::string& failure) {
  double error = errors();
  bool fresh = false;
  constexpr int most = 20;
  for (int iteration = 0; iteration < most && error > tolerance; ++iteration) {
    if (!fresh && !is_factorized) {
      if (!factorize()) return false;
      fresh = true;
    }
    step();
    const double next = errors();
    if (!std::isfinite(next) || next > 1e3 * error) {
      failure = "the projection onto the constraints diverged";
      return false;
    }
    const double ratio = next / error;
    error = next;
    if (ratio > 0.5 && fresh) break;                    // as far as rounding lets it
    if (ratio > 0.05 && !fresh) is_factorized = false;  // the derivatives are too old
  }
  if (error <= 1e9 * tolerance) return true;
  failure = "the projection onto the constraints does not converge: the state is too far from them";
  return false;
}

/// The same for velocities, in which rows are linear: where S is regular one solution is exact, else (`is_refined`)
/// weak directions take several. `error`: the largest |Phi_dot| here; `step()`: one solution; `errors()`: as above.
/// False if an error is not finite.
template <class Step, class Errors>
bool project_velocities(double error, double enough, bool is_refined, const Step& step, const Errors& errors) {
  const int most = is_refined ? 20 : 1;
  for (int iteration = 0; iteration < most && error > enough; ++iteration) {
    step();
    if (iteration + 1 == most) break;
    const double next = errors();
    const bool stalled = next > 0.5 * error;
    error = next;
    if (stalled) break;
  }
  return std::isfinite(error);
}

/// INFINITY if a value is not finite.
inline double largest_size(const double* values, int count) {
  double most = 0, sum = 0;
  for (int k = 0; k < count; ++k) most = std::max(most, std::abs(values[k])), sum += values[k];
  return std::isfinite(sum) ? most : INFINITY;
}

}  // namespace bricard

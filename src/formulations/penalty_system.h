// What the penalty and the augmented Lagrangian formulation share: the matrix K = M + P^T a P, and the residual form of
// their equations,
//   K d = Q - M v' - P^T lambda - a P^T r,   r = P v' + w,   v' += d,   lambda += a (r + P d).
//   w = -gamma + 2 Omega mu Phi_dot + Omega^2 Phi                                                 [Jalon-Bayo (5.37)]
//   w = -gamma + Omega mu Phi_dot   in velocity-level rows                                        [Jalon-Bayo (5.47)]
// The book's mu of velocity-level rows is a rate, 1/s; Omega mu is one, so that the same options make all errors decay
// equally fast. a, Omega and mu are diagonal matrices: every row may have its own. Of rows that depend on each other
// the stiffer ones carry more: multipliers are those of least sum lambda_k^2/a_k, of least norm if all a_k are equal.
#pragma once

#include <string>

#include "formulations/formulation.h"
#include "linear/positive_solver.h"

namespace bricard {

class PenaltySystem {
 public:
  PenaltySystem(const Equations& pattern, const FormulationOptions& options);

  bool factorize(const Equations& equations);
  const char* failure() const;
  /// "penalty 1e+07", "penalties 1e+05 to 1e+09". Relative ones are fixed at the first factorisation, so that they are
  /// constant in a run.
  std::string penalty_text() const;

  void set_right_sides(ConstVector Q, ConstVector gamma);
  /// The equations above, once. From v' = 0, lambda = 0: the penalty formulation.
  void advance(Vector& vdot, Vector& lambda);
  /// The same with r = 0: lambda += a P d. Takes out what rounding has left of M v' + P^T lambda - Q.
  void refine(Vector& vdot, Vector& lambda);
  /// The multipliers of least sum lambda_k^2/a_k for which M v' + P^T lambda = Q, and v' with the rounding of advance()
  /// taken out.
  void find_multipliers(Vector& vdot, Vector& lambda);

  void show(Exhibit& exhibit) const;

  /// The last d, and d^T M d.
  const Vector& change() const { return d_; }
  double change_in_metric_of_M();

 private:
  /// d = K^-1 (Q - M v' - P^T lambda)
  void solve_residual(const Vector& vdot, const Vector& lambda);

  bool is_uniform_, is_relative_;  // one penalty for all rows; still in parts of the largest inertia
  Vector a_, rate_gain_, position_gain_;
  SparseColumns M_;
  SparseRows P_, scaled_P_;  // the second: sqrt(a) P, unless a is uniform
  PositiveSolver K_;
  Vector feedback_, Q_, w_, r_, d_, Md_;
};

}  // namespace bricard

// Inverse dynamics: the efforts tau on given directions G and the multipliers lambda that a known motion needs,
//   M v' - Q = -P^T lambda + G^T tau
// In two stages, so that no unit of a joint's multiplier enters: with the constraint forces projected away, tau of
// least norm in a metric that is stated (more efforts than freedoms: not unique); then lambda of least norm for the
// rest.
//   V^T G^T tau = V^T (M v' - Q),   P V = 0                                                [Jalon-Bayo, section 5.3]
#pragma once

#include <string>
#include <vector>

#include "dynamics/friction_solver.h"
#include "linear/constrained_least_squares.h"
#include "system/system.h"

namespace bricard {

class DriveEfforts {
 public:
  /// `rows`: those of P whose multipliers are sought. `weights`: of the efforts in the norm that is made least.
  DriveEfforts(System& system, std::vector<int> rows, Vector weights);

  /// G: one row for each effort. The system and `eq` were evaluated last at this state (Upto::dynamics).
  /// False with failure() if a joint is self-locking.
  bool find(const Equations& eq, const Matrix& G, const Vector& vdot);

  const Vector& efforts() const { return tau_; }
  /// Of all rows of P; zero for those that were not asked for.
  const Vector& multipliers() const { return lambda_; }
  /// Generalised forces of friction that depends on loads.
  const Vector& friction() const { return friction_; }
  /// The generalised force that neither constraints nor efforts give.
  const Vector& residual() const { return residual_; }
  /// The same, and what there is to balance, both without constraint forces, as moments.
  double residual_size() const { return residual_size_; }
  double load_size() const { return load_size_; }
  bool efforts_are_unique() const { return unique_; }
  const std::string& failure() const { return friction_solver_.failure(); }

 private:
  void factorize(const Equations& eq, const Matrix& G);
  void solve(const Matrix& G, const Vector& effect);

  System& system_;
  std::vector<int> rows_;
  Vector weights_, scale_, no_states_;
  ConstrainedLeastSquares space_;  // only projects
  MinimumNorm multiplier_solver_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> effort_solver_;
  bool any_effort_ = false, unique_ = true;
  Matrix free_G_;  // columns: what is left of the rows of G
  Vector tau_, lambda_, friction_, residual_, chosen_;
  double residual_size_ = 0, load_size_ = 0;
  FrictionSolver friction_solver_;
};

}  // namespace bricard

// Dense, dimensionless copies of the equations for the classical methods. With v = D w, D = diag(1/sqrt(typical
// inertia)), and one constant c for all rows,
//   (D M D) w' + (c P D)^T mu = D Q,   (c P D) w' = c gamma,   lambda = c mu:
// the same equations in M, P, Q, gamma, whose entries are of order one in any units, so that a relative rank threshold
// means the same for a watch and for a crane. Accelerations are unique; least-norm multipliers stay the least-norm
// ones, because all rows have the same factor.
#pragma once

#include "formulations/formulation.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard {

class DenseEquations {
 public:
  DenseEquations(const Equations& pattern, const FormulationOptions& options);

  /// Fills M, P and the threshold for this instant.
  void set_matrices(const Equations& equations);
  /// Fills Q and gamma.
  void set_right_sides(ConstVector Q_given, ConstVector gamma_given);
  /// v' and lambda from their dimensionless counterparts. False if they are not finite.
  bool take(const Vector& wdot, const Vector& mu, VectorRef vdot, VectorRef lambda) const;

  /// v = scale_v() w and lambda = c mu: what brings a formulation's matrices back to the coordinates' units.
  auto scale_v() const { return column_scale_.asDiagonal(); }
  auto unscale_v() const { return column_scale_.cwiseInverse().asDiagonal(); }
  double c() const { return row_scale_; }

  int velocities() const { return static_cast<int>(M.rows()); }
  int rows() const { return static_cast<int>(P.rows()); }

  Matrix M, P;
  Vector Q, gamma;
  /// Relative rank threshold: the chosen one, but above the present drift. Off the constraints, redundant rows are
  /// independent by about the drift.
  double threshold = 0;
  /// Of pseudoinverses, which may be absolute and fixed. P M^-1/2 is c times what it is with its units.
  RankThreshold rank_threshold() const { return {threshold, is_absolute_}; }
  bool threshold_is_fixed() const { return is_fixed_; }

 private:
  Vector column_scale_;
  double row_scale_, chosen_threshold_;
  bool is_absolute_, is_fixed_;
};

/// The one that is chosen.
std::unique_ptr<Pseudoinverse> create_pseudoinverse(const FormulationOptions& options, int rows, int columns);

}  // namespace bricard

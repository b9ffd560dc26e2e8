// The rows of a Jacobian P taken apart, redundant ones included, in the metric G of typical inertias:
//   inverse   P^+, the solution of P x = b that is smallest in G;  (P^+)^T f: the least-norm multipliers of P^T lambda
//   = f null      Y with P Y = 0, Y^T G Y = 1
// by a complete orthogonal decomposition of the dimensionless matrix: columns by G^-1/2, rows of unit length.
#pragma once

#include "bricard/types.h"

namespace bricard {

class ConstraintInverse {
 public:
  ConstraintInverse() = default;
  /// `metric`: diagonal of G.
  ConstraintInverse(const Matrix& P, const Vector& metric);

  int rank() const { return rank_; }
  bool has_redundant_rows() const { return dependent_.cols() > 0; }
  const Matrix& inverse() const { return inverse_; }
  const Matrix& null() const { return null_; }
  /// What combinations of rows that vanish make of b, rows of unit length: not zero where P x = b has no solution.
  Matrix contradiction(const Matrix& b) const { return dependent_.transpose() * (row_scale_.asDiagonal() * b); }

 private:
  int rank_ = 0;
  Vector row_scale_;
  Matrix inverse_, null_, dependent_;  // dependent_: combinations of the scaled rows that vanish
};

}  // namespace bricard

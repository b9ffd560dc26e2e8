// Least squares under equations, by rank-revealing factorisations: among all x that satisfy A x = b (as well as they
// can be), those for which |G x - g| is least, and of these the one of least norm.
//   x = A^+ b + z,   z of least norm minimises |G N z - (g - G A^+ b)|,   N = I - A^+ A   [Lawson, Hanson 1974, ch. 20]
#pragma once

#include "linear/minimum_norm.h"

namespace bricard {

class ConstrainedLeastSquares {
 public:
  /// G may have no rows. Rows and columns should be scaled to be comparable: `threshold` is relative for A, absolute
  /// for what A leaves of G.
  void factorize(const SparseRows& A, const Matrix& G, double threshold);
  void solve(const Vector& b, const Vector& g, Vector& x) const;
  /// Of A and G together.
  int rank() const { return equations_.rank() + rank_of_rest_; }
  int rank_of_equations() const { return equations_.rank(); }
  /// x without its part in the row space of A.
  Vector projected(const Vector& x) const;

 private:
  MinimumNorm equations_;
  SparseRows A_;
  Matrix G_;
  int rank_of_rest_ = 0;
  Eigen::CompleteOrthogonalDecomposition<Matrix> rest_;  // of G N
};

}  // namespace bricard

// Sparse LU factorisation of matrices of one pattern, many times: the order is found once (KLU), and the pivots of an
// earlier matrix serve as long as they give accurate solutions.
// T. Davis, E. Palamadai Natarajan, Algorithm 907: KLU, ACM Transactions on Mathematical Software 37 (2010) 36.
#pragma once

#include <memory>

#include "bricard/types.h"
#include "linear/sparse.h"

namespace bricard {

class SparseLu {
 public:
  /// Of a square matrix; its values do not matter. Pivots of an earlier matrix serve up to this residual, relative to
  /// the right side.
  explicit SparseLu(const SparseColumns& pattern, double tolerable_residual = 1e-9);
  ~SparseLu();
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;

  /// The matrix: values may be written at any time, by place().
  const SparseColumns& matrix() const { return matrix_; }
  double* values() { return matrix_.valuePtr(); }
  int place(int row, int column) const;

  /// False if the matrix is singular.
  bool factorize();
  /// With one step of iterative refinement where it is needed. False if the solution is not finite.
  bool solve(Vector& right_side);

  /// Non-zeros of L and U, and how often pivots were chosen.
  long factor_nonzeros() const;
  long pivotings() const { return pivotings_; }

 private:
  bool factor_anew();
  /// Also its residual.
  void solve_once(const Vector& right_side);

  SparseColumns matrix_;
  double tolerable_residual_;
  Vector solution_, residual_;
  struct Factors;
  std::unique_ptr<Factors> factors_;
  bool fresh_ = false;
  long pivotings_ = 0;
};

}  // namespace bricard

// Rank-revealing minimum-norm least squares  min |x| among the minimisers of |A x - b|, by a pivoted QR of A^T: dense
// (complete orthogonal decomposition) for small systems, SuiteSparseQR for large ones. Rank is decided on A, never on A
// A^T.
#pragma once

#include <memory>
#include <vector>

#include "bricard/types.h"
#include "linear/sparse.h"

namespace bricard {

class MinimumNorm {
 public:
  MinimumNorm();
  ~MinimumNorm();
  MinimumNorm(const MinimumNorm&) = delete;
  MinimumNorm& operator=(const MinimumNorm&) = delete;

  /// Relative threshold: pivots below threshold * largest pivot count as zero.
  void factorize(const SparseRows& A, double threshold);
  int rank() const { return rank_; }
  void solve(const Vector& b, Vector& x) const;
  /// Rows that the pivoting left out: each depends on the others.
  const std::vector<int>& dependent_rows() const { return dependent_; }
  /// Basis of the null space of A^T (rows x (rows - rank)): the combinations of rows that vanish.
  Matrix row_null_space() const;
  /// The same for large matrices, whose dependent rows mostly depend on few others.
  SparseColumns sparse_row_null_space() const;

 private:
  struct Sparse;
  int rank_ = 0;
  std::vector<int> dependent_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> dense_;  // of A^T
  std::unique_ptr<Sparse> sparse_;
  int rows_ = 0, columns_ = 0;
};

}  // namespace bricard

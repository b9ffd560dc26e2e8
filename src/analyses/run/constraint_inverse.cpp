#include "analyses/run/constraint_inverse.h"

#include "linear/rank_threshold.h"

namespace bricard {

ConstraintInverse::ConstraintInverse(const Matrix& P, const Vector& metric) : row_scale_(Vector::Ones(P.rows())) {
  const int rows = static_cast<int>(P.rows()), n = static_cast<int>(P.cols());
  const Vector scale = metric.cwiseSqrt().cwiseInverse();
  inverse_ = Matrix::Zero(n, rows);
  null_ = scale.asDiagonal();
  dependent_ = Matrix::Identity(rows, rows);
  if (rows == 0 || n == 0) return;

  Matrix scaled = P * scale.asDiagonal();
  for (int row = 0; row < rows; ++row) {
    const double length = scaled.row(row).norm();
    if (length > 0) row_scale_[row] = 1 / length;
  }
  scaled = row_scale_.asDiagonal() * scaled;
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition(rows, n);
  decomposition.setThreshold(rank_threshold);
  decomposition.compute(scaled);
  rank_ = static_cast<int>(decomposition.rank());
  inverse_ = scale.asDiagonal() * decomposition.pseudoInverse() * row_scale_.asDiagonal();
  const Matrix right = decomposition.colsPermutation() * decomposition.matrixZ().transpose();
  null_ = scale.asDiagonal() * right.rightCols(n - rank_);
  const Matrix left = decomposition.householderQ() * Matrix::Identity(rows, rows);
  dependent_ = left.rightCols(rows - rank_);
}

}  // namespace bricard

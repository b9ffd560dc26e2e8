#include "analyses/reactions/gauss_elimination.h"

#include <cmath>
#include <utility>

namespace bricard {

GaussElimination::GaussElimination(const Matrix& A, const Vector& b, const Vector& row_scale, double threshold)
    : f(Vector::Zero(A.cols())), residual(Vector::Zero(A.rows())) {
  const Eigen::Index m = A.rows(), n = A.cols();
  Matrix T(m, n + 1);
  T.leftCols(n) = row_scale.asDiagonal() * A;
  T.col(n) = row_scale.cwiseProduct(b);
  std::vector<int> row_at(m), column_at(n);
  for (Eigen::Index k = 0; k < m; ++k) row_at[k] = static_cast<int>(k);
  for (Eigen::Index k = 0; k < n; ++k) column_at[k] = static_cast<int>(k);
  Eigen::Index rank = 0;
  for (; rank < std::min(m, n); ++rank) {
    Eigen::Index row = 0, column = 0;
    const double pivot = T.bottomRows(m - rank).middleCols(rank, n - rank).cwiseAbs().maxCoeff(&row, &column);
    row += rank, column += rank;
    if (pivot == 0 || (rank > 0 && pivot < threshold * pivots.front())) break;
    T.row(rank).swap(T.row(row));
    std::swap(row_at[rank], row_at[row]);
    T.col(rank).swap(T.col(column));
    std::swap(column_at[rank], column_at[column]);
    for (Eigen::Index below = rank + 1; below < m; ++below) {
      const double factor = T(below, rank) / T(rank, rank);
      T.row(below).tail(n + 1 - rank) -= factor * T.row(rank).tail(n + 1 - rank);
    }
    pivots.push_back(pivot);
    rows.push_back(row_at[rank]);
    columns.push_back(column_at[rank]);
  }
  for (Eigen::Index k = rank; k < n; ++k) undetermined.push_back(column_at[k]);
  for (Eigen::Index k = rank; k < m; ++k) residual[row_at[k]] = T(k, n) / row_scale[row_at[k]];
  for (Eigen::Index k = rank - 1; k >= 0; --k) {
    double rest = T(k, n);
    for (Eigen::Index l = k + 1; l < rank; ++l) rest -= T(k, l) * f[column_at[l]];
    f[column_at[k]] = rest / T(k, k);
  }
}

}  // namespace bricard

// `nullspace-partitioning`: coordinate partitioning.              [Pennestri-Valentini 7.2, (18)-(23), (47)-(57); Haug]
// Gauss elimination with full pivoting, P = L [U_u U_v] after exchanges of rows and columns, L (m x r) unit lower
// trapezoidal, U_u (r x r) upper triangular: the pivots' columns are the dependent coordinates u, the others the
// independent ones v, so that v' = (u', v') and
//   V = [-U_u^-1 U_v; I],   s = [U_u^-1 L+ gamma; 0],   U_u^T c = force_u,   lambda = (L^T)+ c
// V^T M V and V^T (Q - M s) are (56) and (57) written out. For independent rows L+ is the inverse of a triangle.
#include <cmath>
#include <numeric>
#include <vector>

#include "formulations/null_space.h"

namespace bricard::formulations {
namespace {

class PartitioningBasis : public NullSpaceBasis {
 public:
  PartitioningBasis(int rows, int columns)
      : NullSpaceBasis(rows, columns),
        LU_(rows, columns),
        L_(rows, std::min(rows, columns)),
        LtL_(L_.cols(), L_.cols()),
        right_(L_.cols()),
        permuted_(rows),
        cholesky_(static_cast<int>(L_.cols())),
        row_order_(rows),
        column_order_(columns) {}

 private:
  auto U_u() { return LU_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>(); }
  auto square_L() { return LU_.topLeftCorner(rank_, rank_).triangularView<Eigen::UnitLower>(); }

 protected:
  bool decompose(const Matrix& P, double threshold) override {
    eliminate(P, threshold);
    const int free = columns_ - rank_;
    auto X = LU_.block(0, rank_, rank_, free);  // U_v, then U_u^-1 U_v
    solve_upper_triangular(LU_.topLeftCorner(rank_, rank_), X);
    auto V = V_.leftCols(free);
    V.setZero();
    for (int k = 0; k < rank_; ++k) V.row(column_order_[k]) = -X.row(k);
    for (int k = 0; k < free; ++k) V(column_order_[rank_ + k], k) = 1;
    if (rank_ == rows_) return true;

    L_.leftCols(rank_) = LU_.leftCols(rank_);
    for (int k = 0; k < rank_; ++k) {
      L_.col(k).head(k).setZero();
      L_(k, k) = 1;
    }
    auto LtL = LtL_.topLeftCorner(rank_, rank_);
    multiply_transposed(L_.leftCols(rank_), L_.leftCols(rank_), LtL);
    return cholesky_.compute(LtL, 0);
  }

  void solve(const Vector& gamma, Vector& s) override {
    for (int k = 0; k < rows_; ++k) permuted_[k] = gamma[row_order_[k]];
    auto y = right_.head(rank_);
    if (rank_ == rows_) {
      y = permuted_;
      square_L().solveInPlace(y);
    } else {
      y.noalias() = L_.leftCols(rank_).transpose() * permuted_;
      cholesky_.solve(y);
    }
    U_u().solveInPlace(y);
    s.setZero();
    for (int k = 0; k < rank_; ++k) s[column_order_[k]] = y[k];
  }

  void solve_transposed(const Vector& force, Vector& lambda) override {
    auto c = right_.head(rank_);
    for (int k = 0; k < rank_; ++k) c[k] = force[column_order_[k]];
    U_u().transpose().solveInPlace(c);
    if (rank_ == rows_) {
      square_L().transpose().solveInPlace(c);
      permuted_ = c;
    } else {
      cholesky_.solve(c);
      permuted_.noalias() = L_.leftCols(rank_) * c;
    }
    for (int k = 0; k < rows_; ++k) lambda[row_order_[k]] = permuted_[k];
  }

 private:
  void eliminate(const Matrix& P, double threshold) {
    LU_ = P;
    std::iota(row_order_.begin(), row_order_.end(), 0);
    std::iota(column_order_.begin(), column_order_.end(), 0);
    double first_pivot = 0;
    for (rank_ = 0; rank_ < L_.cols(); ++rank_) {
      const int k = rank_;
      Eigen::Index row = 0, column = 0;
      const double pivot = LU_.bottomRightCorner(rows_ - k, columns_ - k).cwiseAbs().maxCoeff(&row, &column);
      if (k == 0) first_pivot = pivot;
      if (pivot <= threshold * first_pivot) return;
      exchange(k, static_cast<int>(row) + k, static_cast<int>(column) + k);
      auto factors = LU_.col(k).tail(rows_ - k - 1);
      factors /= LU_(k, k);
      // Column by column, which needs no memory; most entries of a Jacobian are zero.
      for (int j = k + 1; j < columns_; ++j) {
        if (LU_(k, j) != 0) LU_.col(j).tail(rows_ - k - 1) -= LU_(k, j) * factors;
      }
    }
  }

  void exchange(int k, int row, int column) {
    if (row != k) LU_.row(k).swap(LU_.row(row));
    if (column != k) LU_.col(k).swap(LU_.col(column));
    std::swap(row_order_[k], row_order_[row]);
    std::swap(column_order_[k], column_order_[column]);
  }

  Matrix LU_, L_, LtL_;
  Vector right_, permuted_;
  Cholesky cholesky_;
  std::vector<int> row_order_, column_order_;
};

}  // namespace

FormulationType nullspace_partitioning() {
  return {
      .name = "nullspace-partitioning",
      .description =
          "coordinate partitioning: Gauss elimination with full pivoting picks the independent accelerations",
      .source = "Pennestri-Valentini 7.2, (47)-(57); Blajer-Schiehlen-Schirm (12)-(14)",
      .traits = {.redundant_rows = true, .singular_mass = true, .unique_multipliers = false, .cost = "cubic (dense)"},
      .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
        return null_space_formulation(pattern, options,
                                      std::make_unique<PartitioningBasis>(pattern.rows(), pattern.velocities()));
      }};
}

}  // namespace bricard::formulations

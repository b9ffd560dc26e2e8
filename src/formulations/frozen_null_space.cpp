#include "formulations/frozen_null_space.h"

#include <lapacke.h>

#include <algorithm>
#include <numeric>

namespace bricard {

FrozenNullSpace::FrozenNullSpace(int rows, int columns)
    : NullSpaceBasis(rows, columns),
      old_V_(columns, columns),
      LU_(columns, columns),
      PV_(rows, columns),
      C_transposed_(columns, rows),
      I_CCt_(rows, rows),
      dependent_(rows),
      row_choice_(rows, columns),
      order_(rows),
      exchanges_(columns),
      integers_(columns),
      work_(4 * columns),
      right_(columns),
      dependent_right_(rows) {}

void FrozenNullSpace::freeze(const Matrix& P, const NullSpaceBasis& basis) {
  rank_ = basis.rank();
  old_V_.leftCols(columns_ - rank_) = basis.V();
  std::iota(order_.begin(), order_.end(), 0);
  if (rank_ == 0 || rank_ == rows_) return;
  row_choice_.compute(P, 0);
  for (int k = 0; k < rows_; ++k) order_[k] = row_choice_.chosen_row(k);
}

double FrozenNullSpace::distance(const Matrix& P) {
  const auto V = old_V_.leftCols(columns_ - rank_);
  const double size = P.norm() * V.norm();
  if (size == 0) return 0;
  auto PV = PV_.leftCols(V.cols());
  multiply(P, V, PV);
  return PV.norm() / size;
}

bool FrozenNullSpace::decompose(const Matrix& P, double threshold) {
  const int free = columns_ - rank_, redundant = rows_ - rank_;
  for (int k = 0; k < rank_; ++k) LU_.row(k) = P.row(order_[k]);
  LU_.bottomRows(free) = old_V_.leftCols(free).transpose();
  const double norm = LU_.cwiseAbs().colwise().sum().maxCoeff();
  if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, columns_, columns_, LU_.data(), columns_, exchanges_.data()) != 0) {
    return false;
  }
  double regularity = 0;
  LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', columns_, LU_.data(), columns_, norm, &regularity, work_.data(),
                      integers_.data());
  // Digits lost to a poor B are lost for good; a fall of the rank shows here too.
  if (regularity < std::max(1e-6, threshold)) return false;

  auto V = V_.leftCols(free);
  V.setZero();
  V.bottomRows(free).setIdentity();
  solve_LU('N', V.data(), free);

  if (redundant == 0) return true;
  auto Ct = C_transposed_.leftCols(redundant);
  for (int k = 0; k < redundant; ++k) Ct.col(k) = P.row(order_[rank_ + k]).transpose();
  // P_d = C P_r + (P_d V) B: the second part must vanish, or the rank has risen.
  solve_LU('T', Ct.data(), redundant);
  if (Ct.bottomRows(free).norm() > threshold * P.norm()) return false;
  auto I_CCt = I_CCt_.topLeftCorner(redundant, redundant);
  multiply_transposed(Ct.topRows(rank_), Ct.topRows(rank_), I_CCt);
  I_CCt.diagonal().array() += 1;
  return dependent_.compute(I_CCt, 0);
}

void FrozenNullSpace::solve(const Vector& gamma, Vector& s) {
  const int redundant = rows_ - rank_;
  s.setZero();
  for (int k = 0; k < rank_; ++k) s[k] = gamma[order_[k]];
  if (redundant > 0) {
    const auto Ct = C_transposed_.block(0, 0, rank_, redundant);
    auto excess = dependent_right_.head(redundant);
    for (int k = 0; k < redundant; ++k) excess[k] = gamma[order_[rank_ + k]];
    excess.noalias() -= Ct.transpose() * s.head(rank_);
    dependent_.solve(excess);
    s.head(rank_).noalias() += Ct * excess;
  }
  solve_LU('N', s.data(), 1);
}

void FrozenNullSpace::solve_transposed(const Vector& force, Vector& lambda) {
  const int redundant = rows_ - rank_;
  right_ = force;
  solve_LU('T', right_.data(), 1);
  auto l = right_.head(rank_);
  auto lambda_d = dependent_right_.head(redundant);
  if (redundant > 0) {
    const auto Ct = C_transposed_.block(0, 0, rank_, redundant);
    lambda_d.noalias() = Ct.transpose() * l;
    dependent_.solve(lambda_d);
    l.noalias() -= Ct * lambda_d;
  }
  for (int k = 0; k < rank_; ++k) lambda[order_[k]] = l[k];
  for (int k = 0; k < redundant; ++k) lambda[order_[rank_ + k]] = lambda_d[k];
}

void FrozenNullSpace::solve_LU(char transposed, double* B, int columns) {
  if (columns == 0) return;
  LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed, columns_, columns, LU_.data(), columns_, exchanges_.data(), B,
                      columns_);
}

}  // namespace bricard

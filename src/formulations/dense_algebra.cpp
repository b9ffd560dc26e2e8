#include "formulations/dense_algebra.h"

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/blas_threads.h"

namespace bricard {
namespace {

// Leading dimensions must not be zero, even of nothing.
int stride(const ConstMatrix& A) { return std::max(static_cast<int>(A.outerStride()), 1); }

void gemm(CBLAS_TRANSPOSE of_A, const ConstMatrix& A, const ConstMatrix& B, MatrixRef C) {
  const int inner = static_cast<int>(of_A == CblasNoTrans ? A.cols() : A.rows());
  if (C.size() == 0) return;
  if (inner == 0) {
    C.setZero();
    return;
  }
  cblas_dgemm(CblasColMajor, of_A, CblasNoTrans, static_cast<int>(C.rows()), static_cast<int>(C.cols()), inner, 1.0,
              A.data(), stride(A), B.data(), stride(B), 0.0, C.data(), stride(C));
}

}  // namespace

void multiply(const ConstMatrix& A, const ConstMatrix& B, MatrixRef C) { gemm(CblasNoTrans, A, B, C); }
void multiply_transposed(const ConstMatrix& A, const ConstMatrix& B, MatrixRef C) { gemm(CblasTrans, A, B, C); }

void solve_upper_triangular(const ConstMatrix& U, MatrixRef B) {
  if (B.size() == 0) return;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, static_cast<int>(B.rows()),
              static_cast<int>(B.cols()), 1.0, U.data(), stride(U), B.data(), stride(B));
}

// --- Cholesky ---

Cholesky::Cholesky(int largest_size) : L_(largest_size, largest_size) { use_one_blas_thread(); }

bool Cholesky::compute(const ConstMatrix& A, double smallest_pivot) {
  size_ = static_cast<int>(A.rows());
  if (size_ == 0) return true;
  auto L = L_.topLeftCorner(size_, size_);
  L = A;
  if (!L.allFinite()) return false;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', size_, L_.data(), stride(L_)) != 0) return false;
  // What elimination leaves of each diagonal term: terms of different sizes (a light body) are not singular.
  return (L.diagonal().array() > smallest_pivot * A.diagonal().array().sqrt()).all();
}

void Cholesky::solve(MatrixRef B) const {
  solve_lower(B);
  solve_upper(B);
}
void Cholesky::solve_lower(MatrixRef B) const { solve_triangular(false, B); }
void Cholesky::solve_upper(MatrixRef B) const { solve_triangular(true, B); }

void Cholesky::solve_triangular(bool transposed, MatrixRef B) const {
  if (B.size() == 0) return;
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transposed ? CblasTrans : CblasNoTrans, CblasNonUnit, size_,
              static_cast<int>(B.cols()), 1.0, L_.data(), stride(L_), B.data(), stride(B));
}

// --- PivotedQr ---

PivotedQr::PivotedQr(int rows, int columns)
    : rows_(rows),
      columns_(columns),
      QR_(columns, rows),
      reflectors_(std::min(rows, columns)),
      right_reflectors_(std::min(rows, columns)),
      of_columns_(columns),
      of_rows_(rows),
      pivots_(rows) {
  use_one_blas_thread();
  std::iota(pivots_.begin(), pivots_.end(), 1);
  // As much as any of the routines below asks for with its largest block size, 64.
  work_.resize(64 * (columns + 2 * rows + 1) + 64 * 65);
}

void PivotedQr::compute(const Matrix& P, double threshold) {
  rank_ = 0;
  if (P.size() == 0) return;
  QR_ = P.transpose();
  std::fill(pivots_.begin(), pivots_.end(), 0);
  const int size = static_cast<int>(work_.size());
  LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, columns_, rows_, QR_.data(), columns_, pivots_.data(), reflectors_.data(),
                      work_.data(), size);
  const double smallest = threshold * std::abs(QR_(0, 0));
  while (rank_ < reflectors_.size() && std::abs(QR_(rank_, rank_)) > smallest) ++rank_;
  if (rank_ > 0 && rank_ < rows_) {
    LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, rank_, rows_, QR_.data(), columns_, right_reflectors_.data(), work_.data(),
                        size);
  }
}

void PivotedQr::null_space(MatrixRef V) {
  V.setZero();
  V.bottomRows(V.cols()).setIdentity();
  apply_H('N', V.data(), static_cast<int>(V.cols()));
}

void PivotedQr::solve(const Vector& b, Vector& x) {
  // P = Pi Z^T [T^T 0; 0 0] H^T
  for (int k = 0; k < rows_; ++k) of_rows_[k] = b[chosen_row(k)];
  apply_Z('N', of_rows_);
  x.setZero();
  x.head(rank_) = of_rows_.head(rank_);
  QR_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(x.head(rank_));
  apply_H('N', x.data(), 1);
}

void PivotedQr::solve_transposed(const Vector& b, Vector& x) {
  of_columns_ = b;
  apply_H('T', of_columns_.data(), 1);
  of_rows_.setZero();
  of_rows_.head(rank_) = of_columns_.head(rank_);
  QR_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(of_rows_.head(rank_));
  apply_Z('T', of_rows_);
  for (int k = 0; k < rows_; ++k) x[chosen_row(k)] = of_rows_[k];
}

void PivotedQr::apply_H(char transposed, double* C, int columns) {
  // The reflections beyond the rank belong to rows of P that count as dependent.
  if (rank_ == 0 || columns == 0) return;
  LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transposed, columns_, columns, rank_, QR_.data(), columns_,
                      reflectors_.data(), C, columns_, work_.data(), static_cast<int>(work_.size()));
}

void PivotedQr::apply_Z(char transposed, Vector& c) {
  if (rank_ == 0 || rank_ == rows_) return;
  LAPACKE_dormrz_work(LAPACK_COL_MAJOR, 'L', transposed, rows_, 1, rank_, rows_ - rank_, QR_.data(), columns_,
                      right_reflectors_.data(), c.data(), rows_, work_.data(), static_cast<int>(work_.size()));
}

}  // namespace bricard

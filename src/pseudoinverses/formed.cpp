#include "pseudoinverses/formed.h"

#include <cblas.h>

#include <cmath>

#include "linear/blas_threads.h"

namespace bricard {

FormedPseudoinverse::FormedPseudoinverse(int rows, int columns, bool transposed)
    : transposed_(transposed),
      A_(transposed ? columns : rows, transposed ? rows : columns),
      X_(A_.cols(), A_.rows()),
      argument_(std::max(rows, columns)) {
  use_one_blas_thread();
}

bool FormedPseudoinverse::factorize(const Matrix& A, RankThreshold) {
  if (A.size() == 0) return true;
  if (!A.allFinite()) return false;
  const double largest = A.cwiseAbs().maxCoeff();
  // A power of two, exact, so that squares neither overflow nor vanish.
  scale_ = largest > 0 ? std::ldexp(1.0, std::min(-std::ilogb(largest), 1000)) : 1;
  if (transposed_) {
    A_ = scale_ * A.transpose();
  } else {
    A_ = scale_ * A;
  }
  return form(A_, X_) && X_.allFinite();
}

void FormedPseudoinverse::multiply(const Matrix& A, bool transpose_A, const Matrix& B, bool transpose_B, Matrix& C) {
  const auto stride = [](const Matrix& matrix) { return static_cast<int>(matrix.rows()); };
  cblas_dgemm(CblasColMajor, transpose_A ? CblasTrans : CblasNoTrans, transpose_B ? CblasTrans : CblasNoTrans,
              static_cast<int>(C.rows()), static_cast<int>(C.cols()),
              static_cast<int>(transpose_A ? A.rows() : A.cols()), 1.0, A.data(), stride(A), B.data(), stride(B), 0.0,
              C.data(), stride(C));
}

void FormedPseudoinverse::apply(const Vector& b, Vector& x) {
  auto given = argument_.head(b.size());
  given = scale_ * b;
  if (transposed_) {
    x.noalias() = X_.transpose() * given;
  } else {
    x.noalias() = X_ * given;
  }
}

void FormedPseudoinverse::apply_transposed(const Vector& b, Vector& x) {
  auto given = argument_.head(b.size());
  given = scale_ * b;
  if (transposed_) {
    x.noalias() = X_ * given;
  } else {
    x.noalias() = X_.transpose() * given;
  }
}

}  // namespace bricard

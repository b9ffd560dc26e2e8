#include "linear/dense/dense.h"

#include <complex>
// LAPACK's headers would take the complex type of C, which C++ does not have.
#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "linear/blas_threads.h"

namespace bricard {
namespace {

/// What LAPACK says of a call: true if it has found all.
bool is_done(int info) {
  if (info == LAPACK_WORK_MEMORY_ERROR) throw std::bad_alloc();
  return info == 0;
}

/// Eigenvalues of A, which is overwritten; V: eigenvectors, or null. Of pairs the one with a positive imaginary part
/// comes first, and its eigenvector's real and imaginary part are two columns of V. NaN where they are not found.
bool find_eigenvalues(Matrix& A, ComplexVector& values, Matrix* V) {
  use_one_blas_thread();
  const int n = static_cast<int>(A.rows());
  Vector real(n), imaginary(n);
  const bool ok = n == 0 || is_done(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', V ? 'V' : 'N', n, A.data(), n, real.data(),
                                                  imaginary.data(), nullptr, 1, V ? V->data() : nullptr, V ? n : 1));
  values.resize(n);
  values.real() = real;
  values.imag() = imaginary;
  if (!ok) values.setConstant(std::numeric_limits<double>::quiet_NaN());
  return ok;
}

}  // namespace

Matrix product_of(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) { return A * B; }

Matrix transposed_product(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B) {
  return A.transpose() * B;
}

Matrix least_norm_solution(const Matrix& A, const Matrix& B, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor(A.rows(), A.cols());
  if (threshold > 0) factor.setThreshold(threshold);
  factor.compute(A);
  return factor.solve(B);
}

Matrix lu_solution(const Matrix& A, const Matrix& B) {
  return A.rows() > 0 ? Matrix(Eigen::PartialPivLU<Matrix>(A).solve(B)) : Matrix(0, B.cols());
}

ComplexMatrix complex_lu_solution(ComplexMatrix A, ComplexMatrix B) {
  use_one_blas_thread();
  const int n = static_cast<int>(A.rows()), columns = static_cast<int>(B.cols());
  std::vector<int> pivots(static_cast<std::size_t>(n));
  if (n > 0 && columns > 0 &&
      !is_done(LAPACKE_zgesv(LAPACK_COL_MAJOR, n, columns, A.data(), n, pivots.data(), B.data(), n)))
    B.setConstant(std::numeric_limits<double>::quiet_NaN());
  return B;
}

double determinant_of(const Matrix& A) { return Eigen::PartialPivLU<Matrix>(A).determinant(); }

Matrix cholesky_solution(const Matrix& A, const Matrix& B) { return Eigen::LLT<Matrix>(A).solve(B); }

Matrix cholesky_reduced(const Matrix& A, const Matrix& B) { return Eigen::LLT<Matrix>(A).matrixL().solve(B); }

Matrix orthogonal_factor(const Matrix& A) { return Eigen::HouseholderQR<Matrix>(A).householderQ(); }

Matrix orthogonal_product(const Eigen::ColPivHouseholderQR<Matrix>& factor, const Matrix& B) {
  return factor.householderQ() * B;
}

Matrix orthogonal_columns(const Eigen::ColPivHouseholderQR<Matrix>& factor, int columns) {
  return orthogonal_product(factor, Matrix::Identity(factor.rows(), columns));
}

ComplexVector eigenvalues_of(Matrix A) {
  ComplexVector values;
  find_eigenvalues(A, values, nullptr);
  return values;
}

Eigenpairs eigenpairs_of(Matrix A) {
  const int n = static_cast<int>(A.rows());
  Matrix V(n, n);
  Eigenpairs pairs;
  pairs.ok = find_eigenvalues(A, pairs.values, &V);
  pairs.vectors = V.cast<std::complex<double>>();
  for (int k = 0; k + 1 < n; ++k) {
    if (!(pairs.values[k].imag() > 0)) continue;
    pairs.vectors.col(k).imag() = V.col(k + 1);
    pairs.vectors.col(k + 1) = pairs.vectors.col(k).conjugate();
  }
  return pairs;
}

SymmetricEigenpairs symmetric_eigenpairs_of(Matrix A) {
  use_one_blas_thread();
  const int n = static_cast<int>(A.rows());
  Vector values(n);
  if (n > 0 && !is_done(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, A.data(), n, values.data())))
    values.setConstant(std::numeric_limits<double>::quiet_NaN());
  return {std::move(values), std::move(A)};
}

}  // namespace bricard

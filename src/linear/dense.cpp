#include "linear/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace bricard {

Matrix least_norm_solution(const Matrix& A, const Matrix& B, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> factor(A.rows(), A.cols());
  if (threshold > 0) factor.setThreshold(threshold);
  factor.compute(A);
  return factor.solve(B);
}

Matrix lu_solution(const Matrix& A, const Matrix& B) {
  return A.rows() > 0 ? Matrix(Eigen::PartialPivLU<Matrix>(A).solve(B)) : Matrix(0, B.cols());
}

Eigen::MatrixXcd complex_lu_solution(const Eigen::MatrixXcd& A, const Eigen::MatrixXcd& B) {
  return Eigen::PartialPivLU<Eigen::MatrixXcd>(A).solve(B);
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

ComplexVector eigenvalues_of(const Matrix& A) {
  return Eigen::EigenSolver<Matrix>(A, /*computeEigenvectors=*/false).eigenvalues();
}

Eigenpairs eigenpairs_of(const Matrix& A) {
  const Eigen::EigenSolver<Matrix> solver(A);
  if (solver.info() != Eigen::Success) return {};
  return {true, solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace bricard

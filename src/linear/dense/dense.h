// Solutions, bases and eigenvalues of dense matrices for whatever runs once: plain functions, because each of Eigen's
// decompositions is compiled again, for seconds, wherever it meets another kind of expression; so are products.
#pragma once

#include <Eigen/QR>

#include "bricard/types.h"

namespace bricard {

using ComplexVector = Eigen::VectorXcd;
using ComplexMatrix = Eigen::MatrixXcd;

/// A B, and A^T B.
Matrix product_of(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B);
Matrix transposed_product(const Eigen::Ref<const Matrix>& A, const Eigen::Ref<const Matrix>& B);
/// The X of least norm among those that make |A X - B| least. Pivots below the threshold, relative to the largest,
/// count as zero; 0: as Eigen decides.
Matrix least_norm_solution(const Matrix& A, const Matrix& B, double threshold = 0);
/// A^-1 B of a square matrix; a size of zero is allowed.
Matrix lu_solution(const Matrix& A, const Matrix& B);
/// NaN if A is singular.
ComplexMatrix complex_lu_solution(ComplexMatrix A, ComplexMatrix B);
double determinant_of(const Matrix& A);
/// A^-1 B of a symmetric positive definite matrix.
Matrix cholesky_solution(const Matrix& A, const Matrix& B);
/// L^-1 B with A = L L^T.
Matrix cholesky_reduced(const Matrix& A, const Matrix& B);
/// The square Q of A = Q R.
Matrix orthogonal_factor(const Matrix& A);
/// Q B of A Pi = Q R.
Matrix orthogonal_product(const Eigen::ColPivHouseholderQR<Matrix>& factor, const Matrix& B);
/// The first columns of that Q.
Matrix orthogonal_columns(const Eigen::ColPivHouseholderQR<Matrix>& factor, int columns);

/// NaN if they are not found.
ComplexVector eigenvalues_of(Matrix A);

struct Eigenpairs {
  bool ok = false;
  ComplexVector values;
  ComplexMatrix vectors;  // columns
};
Eigenpairs eigenpairs_of(Matrix A);

/// Of a symmetric matrix: the smallest value first; orthonormal columns. NaN if they are not found.
struct SymmetricEigenpairs {
  Vector values;
  Matrix vectors;
};
SymmetricEigenpairs symmetric_eigenpairs_of(Matrix A);

}  // namespace bricard

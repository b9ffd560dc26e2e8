#include "linear/dense/dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "linear/sparse_ldlt.h"

namespace bricard {
namespace dense_test {

using Complex = std::complex<double>;

// A damped oscillator beside a decay: lambda^2 + 2 lambda + 5 = 0 has -1 +- 2i; -3 is on the diagonal.
TEST(Dense, EigenvectorsOfPairsAndOfRealEigenvalues) {
  Matrix A(3, 3);
  A << 0, 1, 0, -5, -2, 0, 1, 0, -3;
  const Eigenpairs pairs = eigenpairs_of(A);
  ASSERT_TRUE(pairs.ok);
  Complex sum = 0;
  int upper = 0;
  for (int k = 0; k < 3; ++k) {
    const ComplexVector x = pairs.vectors.col(k);
    EXPECT_NEAR(x.norm(), 1, 1e-14);
    EXPECT_LT((A.cast<Complex>() * x - pairs.values[k] * x).norm(), 1e-13) << k;
    sum += pairs.values[k];
    if (pairs.values[k].imag() > 0) {
      ++upper;
      EXPECT_LT(std::abs(pairs.values[k] - Complex(-1, 2)), 1e-13);
      EXPECT_EQ(pairs.values[k + 1], std::conj(pairs.values[k]));  // comes next
    }
  }
  EXPECT_EQ(upper, 1);
  EXPECT_LT(std::abs(sum - Complex(-5, 0)), 1e-13);  // the trace
  EXPECT_LT((eigenvalues_of(A) - pairs.values).norm(), 1e-13);
}

TEST(Dense, EigenvaluesThatAreNotFoundAreNoNumbers) {
  Matrix A = Matrix::Identity(2, 2);
  A(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(eigenvalues_of(A)[0].real()));
  EXPECT_FALSE(eigenpairs_of(A).ok);
  EXPECT_TRUE(eigenpairs_of(Matrix(0, 0)).ok);
  EXPECT_EQ(eigenvalues_of(Matrix(0, 0)).size(), 0);
}

// [2 1; 1 2]: 1 with (1, -1), 3 with (1, 1).
TEST(Dense, SymmetricEigenvaluesBeginWithTheSmallest) {
  Matrix A(2, 2);
  A << 2, 1, 1, 2;
  const SymmetricEigenpairs pairs = symmetric_eigenpairs_of(A);
  EXPECT_NEAR(pairs.values[0], 1, 1e-15);
  EXPECT_NEAR(pairs.values[1], 3, 1e-15);
  EXPECT_NEAR(std::abs(pairs.vectors.col(0).dot(Vector(Eigen::Vector2d(1, -1)))), std::sqrt(2.0), 1e-14);
}

// (1 + i) x = 2i: x = 1 + i.
TEST(Dense, ComplexSystems) {
  ComplexMatrix A = ComplexMatrix::Zero(2, 2), B = ComplexMatrix::Zero(2, 1);
  A(0, 1) = Complex(1, 1), A(1, 0) = 2;  // has to be pivoted
  B << Complex(0, 2), Complex(0, 6);
  const ComplexMatrix x = complex_lu_solution(A, B);
  EXPECT_LT(std::abs(x(0, 0) - Complex(0, 3)), 1e-15);
  EXPECT_LT(std::abs(x(1, 0) - Complex(1, 1)), 1e-15);
  EXPECT_TRUE(std::isnan(complex_lu_solution(ComplexMatrix::Zero(2, 2), B)(0, 0).real()));
}

TEST(Dense, Products) {
  Matrix A(2, 3), B(3, 1), C(2, 1);
  A << 1, 2, 3, 4, 5, 6;
  B << 1, 10, 100;
  C << 1, 10;
  EXPECT_EQ(product_of(A, B), Matrix(Eigen::Vector2d(321, 654)));
  EXPECT_EQ(transposed_product(A, C), Matrix(Eigen::Vector3d(41, 52, 63)));
}

SparseColumns two_by_two(double a, double b, double c) {
  Matrix A(2, 2);
  A << a, b, b, c;
  return A.sparseView();
}

TEST(SparseLdlt, TheLeastPivotHasTheSignOfTheMatrix) {
  EXPECT_GT(SparseLdlt(two_by_two(2, 1, 2)).least_pivot(), 0);
  EXPECT_LT(SparseLdlt(two_by_two(1, 2, 1)).least_pivot(), 0);
  EXPECT_EQ(SparseLdlt(SparseColumns(0, 0)).least_pivot(), std::numeric_limits<double>::infinity());
  // [2 1; 1 2] x = (4, 5): x = (1, 2)
  const Vector x = SparseLdlt(two_by_two(2, 1, 2)).solution(Eigen::Vector2d(4, 5));
  EXPECT_NEAR(x[0], 1, 1e-15);
  EXPECT_NEAR(x[1], 2, 1e-15);
}

}  // namespace dense_test
}  // namespace bricard

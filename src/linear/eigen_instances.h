// Eigen's decompositions of dense matrices, and the kernels of products with them, are compiled once, in
// eigen_instances.cpp, and not again in every file that uses them, which takes much of the time to build the program.
// Part of the precompiled header. The numbers are Eigen's: sides, modes of triangles and orders of storage.
#pragma once

#include <Eigen/Dense>

// NOLINTBEGIN(bugprone-macro-parentheses): a prefix of declarations
#define BRICARD_EIGEN_INSTANCES(PREFIX)                                                                          \
  PREFIX class JacobiSVD<MatrixXd>;                                                                              \
  PREFIX class CompleteOrthogonalDecomposition<MatrixXd>;                                                        \
  PREFIX class ColPivHouseholderQR<MatrixXd>;                                                                    \
  PREFIX class FullPivLU<MatrixXd>;                                                                              \
  PREFIX class PartialPivLU<MatrixXd>;                                                                           \
  PREFIX class HouseholderQR<MatrixXd>;                                                                          \
  PREFIX class LLT<MatrixXd>;                                                                                    \
  PREFIX class LDLT<MatrixXd>;                                                                                   \
  PREFIX class SelfAdjointEigenSolver<MatrixXd>;                                                                 \
  PREFIX void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;          \
  PREFIX void CompleteOrthogonalDecomposition<MatrixXd>::_solve_impl(const MatrixXd&, MatrixXd&) const;          \
  PREFIX void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;                      \
  PREFIX void ColPivHouseholderQR<MatrixXd>::_solve_impl(const MatrixXd&, MatrixXd&) const;                      \
  PREFIX void HouseholderSequence<MatrixXd, VectorXd, 1>::evalTo(MatrixXd&, VectorXd&) const;                    \
  namespace internal {                                                                                           \
  PREFIX struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor, Unaligned, 1>,      \
                            gebp_traits<double, double>::mr, gebp_traits<double, double>::nr, false, false>;     \
  PREFIX struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>,    \
                                              RowMajor, false, double, const_blas_data_mapper<double, Index, 0>, \
                                              false, 0>;                                                         \
  PREFIX struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, RowMajor>,    \
                                              RowMajor, false, double, const_blas_data_mapper<double, Index, 1>, \
                                              false, 1>;                                                         \
  PREFIX struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>,    \
                                              ColMajor, false, double, const_blas_data_mapper<double, Index, 1>, \
                                              false, 0>;                                                         \
  PREFIX struct general_matrix_vector_product<Index, double, const_blas_data_mapper<double, Index, ColMajor>,    \
                                              ColMajor, false, double, const_blas_data_mapper<double, Index, 0>, \
                                              false, 0>;                                                         \
  PREFIX struct triangular_solve_vector<double, double, Index, OnTheLeft, Upper, false, ColMajor>;               \
  PREFIX struct triangular_solve_vector<double, double, Index, OnTheLeft, Lower, false, ColMajor>;               \
  PREFIX struct triangular_solve_vector<double, double, Index, OnTheLeft, UnitLower, false, ColMajor>;           \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 1, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 1, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 2, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 2, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 5, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 5, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 6, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 6, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 1, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 1, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 2, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 2, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 5, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 5, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 6, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 6, false, 1, 0, 1>;                                    \
  PREFIX struct product_triangular_matrix_matrix<double, Index, 2, true, 1, false, 0, false, 0, 1, 0>;           \
  PREFIX struct product_triangular_matrix_matrix<double, Index, 6, true, 1, false, 0, false, 0, 1, 0>;           \
  PREFIX struct product_triangular_matrix_matrix<double, Index, 1, true, 0, false, 0, false, 0, 1, 0>;           \
  PREFIX struct product_triangular_matrix_matrix<double, Index, 5, true, 0, false, 0, false, 0, 1, 0>;           \
  }
// NOLINTEND(bugprone-macro-parentheses)

namespace Eigen {
BRICARD_EIGEN_INSTANCES(extern template)
}

// Eigen's decompositions of dense matrices, and the kernels of products with them, are compiled once, in
// eigen_instances.cpp, and not again in every file that uses them, which takes much of the time to build the program.
// Functions and not whole classes, most of whose functions nobody calls. Part of the precompiled header. The numbers
// are Eigen's: sides, modes of triangles and orders of storage.
#pragma once

#include <Eigen/Dense>

// NOLINTBEGIN(bugprone-macro-parentheses): a prefix of declarations
#define BRICARD_EIGEN_INSTANCES(PREFIX)                                                                          \
  PREFIX JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned);                           \
  PREFIX void CompleteOrthogonalDecomposition<MatrixXd>::computeInPlace();                                       \
  PREFIX void ColPivHouseholderQR<MatrixXd>::computeInPlace();                                                   \
  PREFIX void FullPivLU<MatrixXd>::computeInPlace();                                                             \
  PREFIX void PartialPivLU<MatrixXd>::compute();                                                                 \
  PREFIX void HouseholderQR<MatrixXd>::computeInPlace();                                                         \
  PREFIX LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);                                      \
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
  PREFIX struct triangular_solve_matrix<double, Index, 1, 2, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 2, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 5, false, 0, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 1, 6, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 2, false, 1, 0, 1>;                                    \
  PREFIX struct triangular_solve_matrix<double, Index, 2, 6, false, 0, 0, 1>;                                    \
  PREFIX struct product_triangular_matrix_matrix<double, Index, 2, true, 1, false, 0, false, 0, 1, 0>;           \
  PREFIX struct product_triangular_matrix_matrix<double, Index, 6, true, 1, false, 0, false, 0, 1, 0>;           \
  PREFIX struct product_triangular_matrix_matrix<double, Index, 1, true, 0, false, 0, false, 0, 1, 0>;           \
  PREFIX struct product_triangular_matrix_matrix<double, Index, 5, true, 0, false, 0, false, 0, 1, 0>;           \
  }
// NOLINTEND(bugprone-macro-parentheses)

namespace Eigen {  // NOLINT(modernize-concat-nested-namespaces): the other one is the macro's
BRICARD_EIGEN_INSTANCES(extern template)
}

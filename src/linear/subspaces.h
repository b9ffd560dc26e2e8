// Ranks, ranges and null spaces of small dense matrices by singular values; what is below an absolute threshold counts
// as zero, so the matrices are to be scaled to order one.
#pragma once

#include <Eigen/SVD>

#include "bricard/types.h"

namespace bricard {

/// Descending.
Vector singular_values(const Matrix& A);
int rank_of(const Matrix& A, double threshold);
/// Orthonormal basis of the range of A.
Matrix range_of(const Matrix& A, double threshold);
/// Orthonormal basis of the null space of A.
Matrix null_space_of(const Matrix& A, double threshold);

/// Divide and conquer, thin U and V at least, for larger matrices. That of Eigen 3.4 can be wrong where singular values
/// repeat: then by Jacobi rotations.
void decompose(const Matrix& A, unsigned options, Eigen::BDCSVD<Matrix>& svd);

}  // namespace bricard

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

}  // namespace bricard

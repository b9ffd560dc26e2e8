// The two sparse matrix types: M by columns, P by rows.
#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>

namespace bricard {

using SparseColumns = Eigen::SparseMatrix<double, Eigen::ColMajor>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

}  // namespace bricard

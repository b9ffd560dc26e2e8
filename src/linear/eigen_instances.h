// Eigen's decompositions of dense matrices are compiled once, in eigen_instances.cpp, and not again in every file that
// uses them, which takes much of the time to build the program. Part of the precompiled header.
#pragma once

#include <Eigen/Dense>

namespace Eigen {

extern template class JacobiSVD<MatrixXd>;
extern template class BDCSVD<MatrixXd>;
extern template class CompleteOrthogonalDecomposition<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class FullPivLU<MatrixXd>;
extern template class PartialPivLU<MatrixXd>;
extern template class HouseholderQR<MatrixXd>;

}  // namespace Eigen

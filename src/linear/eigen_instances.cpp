#include "linear/eigen_instances.h"

namespace Eigen {

template class JacobiSVD<MatrixXd>;
template class BDCSVD<MatrixXd>;
template class CompleteOrthogonalDecomposition<MatrixXd>;
template class ColPivHouseholderQR<MatrixXd>;
template class FullPivLU<MatrixXd>;
template class PartialPivLU<MatrixXd>;
template class HouseholderQR<MatrixXd>;

}  // namespace Eigen

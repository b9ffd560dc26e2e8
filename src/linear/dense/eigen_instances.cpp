#include "linear/dense/eigen_instances.h"

namespace Eigen {
BRICARD_EIGEN_INSTANCES(template)
}

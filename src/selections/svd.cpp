// `svd`: no single coordinates but combinations, the right singular vectors of P beyond its rank, frozen until the next
// choice: the tangent plane of this position. [Mani-Haug-Atkinson 1985]
#include "selections/selection.h"

namespace bricard::selections {
namespace {

class TangentPlane : public Selection {
 public:
  Selected choose(const Matrix& P, const Matrix&) const override {
    const int rows = static_cast<int>(P.rows()), columns = static_cast<int>(P.cols());
    if (rows == 0) return {{}, Matrix::Identity(columns, columns)};
    const Eigen::JacobiSVD<Matrix> factor(P, Eigen::ComputeFullV);
    return {{}, factor.matrixV().rightCols(columns - rows).transpose()};
  }
};

}  // namespace

SelectionType svd() {
  return {.name = "svd",
          .description = "combinations of coordinates that span the tangent plane, by singular vectors",
          .source = "Mani, Haug, Atkinson 1985; Singh, Likins 1985",
          .create = []() -> std::unique_ptr<Selection> { return std::make_unique<TangentPlane>(); }};
}

}  // namespace bricard::selections

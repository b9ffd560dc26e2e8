// `svd-coordinates`: the coordinates that show most of the null space V of P, found by singular vectors: those which a
// QR factorisation of V^T with column pivoting takes first.                               [Mani, Haug, Atkinson 1985]
#include "selections/selection.h"

namespace bricard::selections {
namespace {

class SvdCoordinates : public Selection {
 public:
  Selected choose(const Matrix& P, const Matrix&) const override {
    const int rows = static_cast<int>(P.rows()), columns = static_cast<int>(P.cols());
    Matrix V = Matrix::Identity(columns, columns);
    if (rows > 0) V = Eigen::JacobiSVD<Matrix>(P, Eigen::ComputeFullV).matrixV().rightCols(columns - rows).eval();
    std::vector<int> chosen;
    if (V.cols() > 0) {
      const Eigen::ColPivHouseholderQR<Matrix> factor(V.transpose());
      for (int k = 0; k < columns - rows; ++k) chosen.push_back(factor.colsPermutation().indices()[k]);
    }
    return boolean_selection(chosen, columns);
  }
};

}  // namespace

SelectionType svd_coordinates() {
  return {.name = "svd-coordinates",
          .description = "coordinates that show most of the null space, which singular vectors span",
          .source = "Mani, Haug, Atkinson 1985",
          .create = []() -> std::unique_ptr<Selection> { return std::make_unique<SvdCoordinates>(); }};
}

}  // namespace bricard::selections

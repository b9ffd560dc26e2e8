// `gauss`: Gauss elimination of P with full pivoting; the columns without a pivot are independent.   [Wehage-Haug 1982]
#include "selections/selection.h"

namespace bricard::selections {
namespace {

class Gauss : public Selection {
 public:
  Selected choose(const Matrix& P, const Matrix&) const override {
    const int rows = static_cast<int>(P.rows()), columns = static_cast<int>(P.cols());
    const Eigen::FullPivLU<Matrix> factor(P);
    std::vector<int> free;
    for (int k = rows; k < columns; ++k) free.push_back(factor.permutationQ().indices()[k]);
    return boolean_selection(free, columns);
  }
};

}  // namespace

SelectionType gauss() {
  return {.name = "gauss",
          .description = "coordinates left over by Gauss elimination with full pivoting",
          .source = "Wehage, Haug 1982; Pennestri-Valentini 7.2",
          .create = []() -> std::unique_ptr<Selection> { return std::make_unique<Gauss>(); }};
}

}  // namespace bricard::selections

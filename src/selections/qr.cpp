// `qr`: QR factorisation of P with column pivoting; the columns that come last are independent.
#include "selections/selection.h"

namespace bricard::selections {
namespace {

class PivotedQr : public Selection {
 public:
  Selected choose(const Matrix& P, const Matrix&) const override {
    const int rows = static_cast<int>(P.rows()), columns = static_cast<int>(P.cols());
    std::vector<int> free;
    if (rows == 0) {
      for (int k = 0; k < columns; ++k) free.push_back(k);
      return boolean_selection(free, columns);
    }
    const Eigen::ColPivHouseholderQR<Matrix> factor(P);
    for (int k = rows; k < columns; ++k) free.push_back(factor.colsPermutation().indices()[k]);
    return boolean_selection(free, columns);
  }
};

}  // namespace

SelectionType qr() {
  return {.name = "qr",
          .description = "coordinates left over by a pivoted QR factorisation",
          .source = "Kim, Vanderploeg 1986; Pennestri-Valentini 7.3",
          .create = []() -> std::unique_ptr<Selection> { return std::make_unique<PivotedQr>(); }};
}

}  // namespace bricard::selections

// `qr-basis`: combinations of coordinates, the last columns of the orthogonal factor of P^T = [Q1 Q2] [R; 0], frozen
// until the next choice:  B = Q2^T.                                                            [Kim, Vanderploeg 1986]
// The subspace is that of `svd`; the basis in it is another one, and costs less. It is renewed when the cosine of the
// largest angle between it and the null space of now, the smallest singular value of B V, falls below the limit, or the
// pivots of [P; B] do.
#include "selections/selection.h"

namespace bricard::selections {
namespace {

Matrix null_space(const Matrix& P) {
  const Eigen::HouseholderQR<Matrix> factor(P.transpose());
  const Matrix Q = factor.householderQ() * Matrix::Identity(P.cols(), P.cols());
  return Q.rightCols(P.cols() - P.rows());
}

class QrBasis : public Selection {
 public:
  Selected choose(const Matrix& P, const Matrix&) const override {
    if (P.rows() == 0) return {{}, Matrix::Identity(P.cols(), P.cols())};
    return {{}, null_space(P).transpose()};
  }
  bool is_outdated(const Selected& present, const Matrix& P, const Matrix&, double pivots,
                   double limit) const override {
    if (P.rows() == 0 || P.rows() == P.cols()) return false;
    return pivots < limit || Eigen::JacobiSVD<Matrix>(present.B * null_space(P)).singularValues().minCoeff() < limit;
  }
};

}  // namespace

SelectionType qr_basis() {
  return {.name = "qr-basis",
          .description = "combinations of coordinates that span the tangent plane, by the QR factorisation of P^T",
          .source = "Kim, Vanderploeg 1986; Pennestri-Valentini (58)-(59)",
          .create = []() -> std::unique_ptr<Selection> { return std::make_unique<QrBasis>(); }};
}

}  // namespace bricard::selections

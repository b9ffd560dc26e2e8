#include "selections/projective.h"

#include "linear/dense/dense.h"
#include "selections/selection.h"

namespace bricard {

namespace {

// Greedy: the best coordinate is taken and added to the constraints, so that the next one is judged by what is left;
// the set is then independent, not only each coordinate good. With the columns g_i of G = L^-1 D, L L^T = D M D^T, and
// cos^2 alpha_i = |g_i|^2 / (M^-1)_ii, adding coordinate i to the constraints takes the part along g_i away from every
// column: the greedy choice is the QR factorisation of G diag(M^-1)^-1/2 with column pivoting. The product of the
// cosines of a set, in whatever order they are taken, is |det| of its columns.

/// G diag(M^-1)^-1/2 for a regular M.
Matrix directions(const Matrix& P, const Matrix& metric) {
  const int rows = static_cast<int>(P.rows()), columns = static_cast<int>(P.cols());
  Matrix basis = Matrix::Identity(columns, columns);
  if (rows > 0) basis = orthogonal_factor(P.transpose());
  const Matrix D = basis.rightCols(columns - rows).transpose();
  const Vector inverse = cholesky_solution(metric, Matrix::Identity(columns, columns)).diagonal();
  return cholesky_reduced(D * metric * D.transpose(), D) * inverse.cwiseSqrt().cwiseInverse().asDiagonal();
}

/// Of the set that is best, |det| of its columns of G.
double best_product(const Matrix& G) {
  return G.rows() == 0 ? 1 : Eigen::ColPivHouseholderQR<Matrix>(G).matrixR().diagonal().prod();
}

}  // namespace

Vector projective_criterion_by_freedoms(const Matrix& P, const Matrix& M) {
  const int rows = static_cast<int>(P.rows()), columns = static_cast<int>(P.cols());
  const Matrix basis = orthogonal_factor(P.transpose()).rightCols(columns - rows);  // D^T
  const Matrix projected = cholesky_reduced(basis.transpose() * M * basis, basis.transpose());
  const Vector inverse = cholesky_solution(M, Matrix::Identity(columns, columns)).diagonal();
  return projected.colwise().squaredNorm().transpose().cwiseQuotient(inverse);
}

Vector projective_criterion_by_constraints(const Matrix& P, const Matrix& M) {
  const int columns = static_cast<int>(P.cols());
  const Matrix inverse = cholesky_solution(M, Matrix::Identity(columns, columns));
  const Matrix C = P * inverse;
  const Matrix projected = cholesky_reduced(C * P.transpose(), C);
  return Vector::Ones(columns) - projected.colwise().squaredNorm().transpose().cwiseQuotient(inverse.diagonal());
}

Vector projective_criterion(const Matrix& P, const Matrix& M) {
  // The order of the matrix to be inverted decides.
  return 2 * P.rows() < P.cols() ? projective_criterion_by_constraints(P, M) : projective_criterion_by_freedoms(P, M);
}

double best_projective_product(const Matrix& P, const Matrix& M) {
  const double best = best_product(directions(P, M));
  return best * best;
}

namespace selections {
namespace {

/// Directions without inertia have no angle: a small part of a typical inertia (1 here) gives them one.
Matrix regular(const Matrix& M) { return M + 1e-6 * Matrix::Identity(M.rows(), M.cols()); }

class Projective : public Selection {
 public:
  Selected choose(const Matrix& P, const Matrix& M) const override {
    const int columns = static_cast<int>(P.cols()), freedoms = columns - static_cast<int>(P.rows());
    const Eigen::ColPivHouseholderQR<Matrix> factor(directions(P, regular(M)));
    const auto& order = factor.colsPermutation().indices();
    return boolean_selection(std::vector<int>(order.data(), order.data() + freedoms), columns);
  }

  // Another set has become clearly better: the pivots of [P; B] tell only that the present one has become bad.
  // The measure is the product of squared cosines, over that of the best set: runs of seven mechanisms cost the same with
  // limits of 0.25 to 0.9, with more changes the larger it is.
  bool is_outdated(const Selected& present, const Matrix& P, const Matrix& M, double, double limit) const override {
    const int freedoms = static_cast<int>(present.coordinates.size());
    if (freedoms == 0) return false;
    const Matrix G = directions(P, regular(M));
    Matrix chosen(freedoms, freedoms);
    for (int k = 0; k < freedoms; ++k) chosen.col(k) = G.col(present.coordinates[k]);
    const double now = determinant_of(chosen);
    const double best = best_product(G);
    return now * now < limit * best * best;
  }
};

}  // namespace

SelectionType projective() {
  return {.name = "projective",
          .description = "coordinates whose directions lie closest to the admissible motion in the metric of M",
          .source = "Blajer, Schiehlen, Schirm 1994, (23)",
          .create = []() -> std::unique_ptr<Selection> { return std::make_unique<Projective>(); }};
}

}  // namespace selections
}  // namespace bricard

#include "selections/projective.h"

#include "selections/selection.h"

namespace bricard {

Vector projective_criterion_by_freedoms(const Matrix& P, const Matrix& M) {
  const int rows = static_cast<int>(P.rows()), columns = static_cast<int>(P.cols());
  const Eigen::HouseholderQR<Matrix> factor(P.transpose());
  const Matrix basis = Matrix(factor.householderQ()).rightCols(columns - rows);  // D^T
  const Eigen::LLT<Matrix> reduced(basis.transpose() * M * basis);
  const Matrix projected = reduced.matrixL().solve(basis.transpose());
  const Vector inverse = M.llt().solve(Matrix::Identity(columns, columns)).diagonal();
  return projected.colwise().squaredNorm().transpose().cwiseQuotient(inverse);
}

Vector projective_criterion_by_constraints(const Matrix& P, const Matrix& M) {
  const int columns = static_cast<int>(P.cols());
  const Matrix inverse = M.llt().solve(Matrix::Identity(columns, columns));
  const Matrix C = P * inverse;
  const Eigen::LLT<Matrix> reduced(C * P.transpose());
  const Matrix projected = reduced.matrixL().solve(C);
  return Vector::Ones(columns) - projected.colwise().squaredNorm().transpose().cwiseQuotient(inverse.diagonal());
}

Vector projective_criterion(const Matrix& P, const Matrix& M) {
  // The order of the matrix to be inverted decides.
  return 2 * P.rows() < P.cols() ? projective_criterion_by_constraints(P, M) : projective_criterion_by_freedoms(P, M);
}

namespace selections {
namespace {

// Greedy: the best coordinate is taken and added to the constraints, so that the next one is judged by what is left.
// The set is then independent, not only each coordinate good.
class Projective : public Selection {
 public:
  Selected choose(const Matrix& P, const Matrix& M) const override {
    const int rows = static_cast<int>(P.rows()), columns = static_cast<int>(P.cols());
    // Directions without inertia have no angle: a small part of a typical inertia (1 here) gives them one.
    const Matrix metric = M + 1e-6 * Matrix::Identity(columns, columns);
    Matrix constraints(columns, columns);
    constraints.topRows(rows) = P;
    std::vector<int> chosen;
    for (int taken = rows; taken < columns; ++taken) {
      int best = 0;
      projective_criterion(constraints.topRows(taken), metric).maxCoeff(&best);
      chosen.push_back(best);
      constraints.row(taken) = Vector::Unit(columns, best).transpose();
    }
    return boolean_selection(chosen, columns);
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

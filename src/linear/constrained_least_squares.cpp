#include "linear/constrained_least_squares.h"

namespace bricard {

void ConstrainedLeastSquares::factorize(const SparseRows& A, const Matrix& G, double threshold) {
  A_ = A;
  G_ = G;
  equations_.factorize(A, threshold);
  rank_of_rest_ = 0;
  if (G.rows() == 0) return;
  Matrix rest(G.rows(), G.cols());
  for (int row = 0; row < G.rows(); ++row) rest.row(row) = projected(G.row(row).transpose()).transpose();
  const double largest = rest.colwise().norm().maxCoeff();
  if (!(largest > threshold)) return;
  rest_.setThreshold(threshold / largest);
  rest_.compute(rest);
  rank_of_rest_ = static_cast<int>(rest_.rank());
}

Vector ConstrainedLeastSquares::projected(const Vector& x) const {
  if (A_.rows() == 0) return x;
  Vector part(x.size());
  equations_.solve(A_ * x, part);
  return x - part;
}

void ConstrainedLeastSquares::solve(const Vector& b, const Vector& g, Vector& x) const {
  equations_.solve(b, x);
  if (rank_of_rest_ == 0) return;
  const Vector z = rest_.solve(g - G_ * x);
  x += projected(z);
}

}  // namespace bricard

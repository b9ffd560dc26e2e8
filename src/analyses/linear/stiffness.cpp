#include "analyses/linear/stiffness.h"
#include "linear/dense/dense.h"

#include <cmath>
#include <random>

namespace bricard {

std::vector<std::complex<double>> outer_eigenvalues(MechanismMotion& motion, double t, ConstVector x,
                                                    int most_evaluations) {
  // Increments that are small against any length and angle, with components in all directions.
  constexpr double increment = 1e-6;
  const int size = motion.size(), n = size - 1;
  Vector scales(size), at(size), base(size), rate(size);
  motion.error_scales(scales);
  if (motion.derivative(t, x, base) != Status::ok) return {};
  const int most = std::min(n, most_evaluations - 1);
  Matrix V = Matrix::Zero(n, most + 1), H = Matrix::Zero(most + 1, most);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int k = 0; k < n; ++k) V(k, 0) = number(random);
  V.col(0).normalize();
  int columns = 0;
  for (; columns < most; ++columns) {
    at = x;
    at.head(n) += increment * V.col(columns).cwiseProduct(scales.head(n));
    if (motion.derivative(t, at, rate) != Status::ok) break;
    Vector w = ((rate - base) / increment).head(n).cwiseQuotient(scales.head(n));
    if (!w.allFinite()) break;
    const double length = w.norm();
    for (int pass = 0; pass < 2; ++pass) {
      const Vector along = V.leftCols(columns + 1).transpose() * w;
      H.col(columns).head(columns + 1) += along;
      w.noalias() -= V.leftCols(columns + 1) * along;
    }
    H(columns + 1, columns) = w.norm();
    if (w.norm() <= 1e-7 * length || length == 0) {  // V spans all that J makes of its first column
      ++columns;
      break;
    }
    V.col(columns + 1) = w.normalized();
  }
  if (columns == 0) return {};
  const ComplexVector eigenvalues = eigenvalues_of(H.topLeftCorner(columns, columns));
  return {eigenvalues.begin(), eigenvalues.end()};
}

Stiffness stiffness(const std::vector<std::complex<double>>& eigenvalues, double duration) {
  constexpr double long_gone = 50;  // exp(-50) is below every tolerance
  Stiffness s;
  for (const std::complex<double>& lambda : eigenvalues) {
    const double rate = std::abs(lambda);
    if (-lambda.real() >= std::abs(lambda.imag()) && -lambda.real() * duration > long_gone) {
      s.damped = std::max(s.damped, rate);
    } else if (std::abs(lambda.imag()) > std::abs(lambda.real())) {
      s.swinging = std::max(s.swinging, rate);
    } else {
      s.lasting = std::max(s.lasting, rate);
    }
  }
  return s;
}

}  // namespace bricard

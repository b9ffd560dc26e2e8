// Numerical differentiation for tests: Romberg-extrapolated central differences, good to about 1e-11 relative for
// smooth functions of order one. Independent of the analytic derivatives under test.
#pragma once

#include <Eigen/Dense>
#include <functional>

namespace bricard::testing_support {

/// d f(s) / ds at s = 0.
inline Eigen::VectorXd differentiate(const std::function<Eigen::VectorXd(double)>& f, double step = 0.02) {
  constexpr int levels = 5;
  Eigen::VectorXd table[levels][levels];
  double h = step;
  for (int row = 0; row < levels; ++row, h /= 2) {
    table[row][0] = (f(h) - f(-h)) / (2 * h);
    double factor = 4;
    for (int column = 1; column <= row; ++column, factor *= 4) {
      table[row][column] = (factor * table[row][column - 1] - table[row - 1][column - 1]) / (factor - 1);
    }
  }
  return table[levels - 1][levels - 1];
}

}  // namespace bricard::testing_support

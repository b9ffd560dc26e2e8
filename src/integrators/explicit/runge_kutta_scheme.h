// Coefficients of explicit Runge-Kutta methods: X_i = x + h sum_j a_ij f(t + c_j h, X_j), x1 = x + h sum_i b_i f_i.
#pragma once

#include <cmath>
#include <vector>

namespace bricard {

struct RungeKuttaScheme {
  const char* name;
  int order;
  std::vector<double> c;
  std::vector<std::vector<double>> a;  // row i has i coefficients
  std::vector<double> b;
  /// b - d, where d are the weights of the embedded method; empty: a fixed step.
  std::vector<double> error;
  /// The same for a second embedded method of lower order, or empty. The error is then estimated by
  /// e^2 / sqrt(e^2 + 0.01 coarse^2)                       [Hairer-Norsett-Wanner, Solving ODEs I, (10.17)].
  std::vector<double> coarse_error;

  int stages() const { return static_cast<int>(b.size()); }
  bool fixed_step() const { return error.empty(); }
  /// The last stage is f(t1, x1), the first one of the next step.
  bool first_same_as_last() const {
    if (c.back() != 1 || b.back() != 0) return false;
    for (std::size_t j = 0; j < a.back().size(); ++j) {
      if (a.back()[j] != b[j]) return false;
    }
    return true;
  }
  /// x1/x for x' = -(z/h) x.
  double decay(double z) const {
    std::vector<double> slopes;  // h f
    const auto after = [&](const std::vector<double>& weights) {
      double x = 1;
      for (std::size_t j = 0; j < weights.size(); ++j) x += weights[j] * slopes[j];
      return x;
    };
    for (const std::vector<double>& row : a) slopes.push_back(-z * after(row));
    return after(b);
  }
  /// The largest z up to which |decay| stays within 1.
  double real_stability() const {
    double stable = 0, unstable = 0.02;
    for (; std::abs(decay(unstable)) <= 1; unstable += 0.02) stable = unstable;
    while (unstable - stable > 1e-12) {
      const double middle = 0.5 * (stable + unstable);
      (std::abs(decay(middle)) <= 1 ? stable : unstable) = middle;
    }
    return stable;
  }
};

namespace integrators {

const RungeKuttaScheme& dopri5_scheme();
const RungeKuttaScheme& verner6_scheme();
const RungeKuttaScheme& dop853_scheme();
const RungeKuttaScheme& rk4_scheme();

}  // namespace integrators

}  // namespace bricard

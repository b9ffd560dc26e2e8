// Hermite interpolation through the states which an integrator has passed, whatever their number and spacing
// [Stoer-Bulirsch, Introduction to Numerical Analysis, 2.1.5]. The polynomial is linear in the data:
//   x(t) = sum_i sum_j w_ij h^j x_i^(j),   x'(t) = (1/h) sum_i sum_j w'_ij h^j x_i^(j),   h = t_last - t_last-but-one,
// and the weights depend on the times alone. They are found by running the table of divided differences backwards: the
// Newton polynomial's basis functions at t are the weights of its coefficients, and every divided difference hands its
// weight on to the two it was made of, or, where its times coincide, to the derivative which it stands for.
#pragma once

#include <array>
#include <cassert>
#include <span>

#include "motions/motion_equations.h"

namespace bricard {

class HermiteWeights {
 public:
  static constexpr int most_points = 4, most_derivatives = 3;

  /// `derivatives`: how many are known at each point, the state itself included: 2 or 3.
  HermiteWeights(std::span<const StepPoint> points, int derivatives, double t) {
    const int count = static_cast<int>(points.size()), size = count * derivatives;
    assert(count >= 2 && count <= most_points && derivatives <= most_derivatives);
    const double start = points[count - 2].t;
    const double h = points[count - 1].t - start;
    // Times in units of the last step, the newest first, each as often as data are known there.
    const double s = h != 0 ? (t - start) / h : 1;
    std::array<double, most_data> time{}, weight{}, slope{};
    for (int k = 0; k < size; ++k) {
      const int point = count - 1 - k / derivatives;
      time[k] = h != 0 ? (points[point].t - start) / h : point;
    }
    weight[0] = 1;
    for (int k = 1; k < size; ++k) {
      weight[k] = weight[k - 1] * (s - time[k - 1]);
      slope[k] = slope[k - 1] * (s - time[k - 1]) + weight[k - 1];
    }
    run_back(time, derivatives, size, weight, value_);
    run_back(time, derivatives, size, slope, rate_);
    double power = 1;
    for (int j = 0; j < derivatives; ++j, power *= h) {
      for (int i = 0; i < count; ++i) {
        value_[i][j] *= power;
        rate_[i][j] *= h != 0 ? power / h : 0;
      }
    }
  }

  /// Weight of derivative j at the point i, counted from the newest.
  double value(int i, int j) const { return value_[i][j]; }
  double rate(int i, int j) const { return rate_[i][j]; }

 private:
  static constexpr int most_data = most_points * most_derivatives;
  using Table = std::array<std::array<double, most_derivatives>, most_points>;

  /// `of_order`: weights of the divided differences which begin with the first time.
  static void run_back(const std::array<double, most_data>& time, int derivatives, int size,
                       const std::array<double, most_data>& of_order, Table& table) {
    std::array<double, most_data> above{};  // weights of the differences of order j, by their first time
    for (int j = size - 1; j >= 0; --j) {
      std::array<double, most_data> below{};
      above[0] += of_order[j];
      for (int i = 0; i + j < size; ++i) {
        if (i / derivatives == (i + j) / derivatives) {
          table[i / derivatives][j] += above[i] / (j == 2 ? 2 : 1);
        } else {
          const double share = above[i] / (time[i + j] - time[i]);
          below[i + 1] += share;
          below[i] -= share;
        }
      }
      above = below;
    }
  }

  Table value_{}, rate_{};
};

/// Of states that begin with z and z', `size` of each: z by the polynomial through z, z', z'', and z' from its derivative.
inline void interpolate_with_rates(std::span<const StepPoint> points, Eigen::Index size, double t, VectorRef x) {
  const HermiteWeights weights(points, 3, t);
  const int count = static_cast<int>(points.size());
  x.head(2 * size).setZero();
  for (int i = 0; i < count; ++i) {
    const StepPoint& point = points[count - 1 - i];
    const auto z = point.x.head(size), zdot = point.xdot.head(size), zddot = point.xdot.segment(size, size);
    x.head(size) += weights.value(i, 0) * z + weights.value(i, 1) * zdot + weights.value(i, 2) * zddot;
    x.segment(size, size) += weights.rate(i, 0) * z + weights.rate(i, 1) * zdot + weights.rate(i, 2) * zddot;
  }
}

}  // namespace bricard

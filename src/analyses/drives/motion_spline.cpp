#include "analyses/drives/motion_spline.h"

#include <algorithm>
#include <cmath>

#include "bricard/input_error.h"
#include "linear/dense/dense.h"
#include "linear/sparse_lu.h"

namespace bricard {
namespace {

/// Rate and acceleration at times[at] of the polynomial through the values (and rates, if any) of [first, last).
SplineValue derivatives_of_polynomial(const std::vector<double>& times, const std::vector<SplineValue>& knots,
                                      std::size_t first, std::size_t last, std::size_t at, bool with_rates) {
  const double length = times[last - 1] - times[first];
  const int samples = static_cast<int>(last - first), size = with_rates ? 2 * samples : samples;
  Matrix powers(size, size);
  Vector data(size);
  for (int k = 0; k < samples; ++k) {
    const double x = (times[first + k] - times[at]) / length;
    for (int p = 0; p < size; ++p) {
      powers(k, p) = std::pow(x, p);
      if (with_rates) powers(samples + k, p) = p == 0 ? 0 : p * std::pow(x, p - 1);
    }
    data[k] = knots[first + k].value;
    if (with_rates) data[samples + k] = knots[first + k].rate * length;
  }
  const Vector c = lu_solution(powers, data);
  return {knots[at].value, size > 1 ? c[1] / length : 0, size > 2 ? 2 * c[2] / (length * length) : 0};
}

}  // namespace

SplineValue quintic_between(const SplineValue& a, const SplineValue& b, double h, double s) {
  // y = y0 + h v0 s + h^2 a0 s^2/2 + c3 s^3 + c4 s^4 + c5 s^5
  const double d = b.value - a.value - h * a.rate - 0.5 * h * h * a.acceleration;
  const double d1 = h * (b.rate - a.rate) - h * h * a.acceleration;
  const double d2 = h * h * (b.acceleration - a.acceleration);
  const double c3 = 10 * d - 4 * d1 + 0.5 * d2, c4 = -15 * d + 7 * d1 - d2, c5 = 6 * d - 3 * d1 + 0.5 * d2;
  return {a.value + s * (h * a.rate + s * (0.5 * h * h * a.acceleration + s * (c3 + s * (c4 + s * c5)))),
          a.rate + s * (h * a.acceleration + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)) / h),
          a.acceleration + s * (6 * c3 + s * (12 * c4 + s * 20 * c5)) / (h * h)};
}

MotionSpline::MotionSpline(std::vector<double> times, const std::vector<double>& values,
                           const std::vector<double>& rates)
    : times_(std::move(times)), knots_(times_.size()) {
  for (std::size_t k = 0; k < knots_.size(); ++k) {
    knots_[k].value = values[k];
    if (!rates.empty()) knots_[k].rate = rates[k];
  }
  if (knots_.size() < 2) return;
  if (rates.empty()) {
    fit_to_values();
  } else {
    fit_to_rates();
  }
}

// Unknown: rates and accelerations of the inner knots. Third and fourth derivatives of neighbouring pieces agree:
//   y'''(0)  h^3 =   60 D - 36 h v0 - 24 h v1 -  9 h^2 a0 +  3 h^2 a1     D = y1 - y0
//   y'''(1)  h^3 =   60 D - 24 h v0 - 36 h v1 -  3 h^2 a0 +  9 h^2 a1
//   y''''(0) h^4 = -360 D + 192 h v0 + 168 h v1 + 36 h^2 a0 - 24 h^2 a1
//   y''''(1) h^4 =  360 D - 168 h v0 - 192 h v1 - 24 h^2 a0 + 36 h^2 a1
void MotionSpline::fit_to_values() {
  const std::size_t count = knots_.size(), near_end = std::min<std::size_t>(count, 6);
  knots_.front() = derivatives_of_polynomial(times_, knots_, 0, near_end, 0, false);
  knots_.back() = derivatives_of_polynomial(times_, knots_, count - near_end, count, count - 1, false);
  if (count < 3) return;
  const double unit = (times_.back() - times_.front()) / static_cast<double>(count - 1);  // keeps the matrix balanced
  const int size = 2 * static_cast<int>(count - 2);
  std::vector<Eigen::Triplet<double>> entries;
  Vector right = Vector::Zero(size);
  for (int row = 0; row < size; row += 2) {
    const std::size_t k = static_cast<std::size_t>(row) / 2 + 1;
    const double h0 = (times_[k] - times_[k - 1]) / unit, h1 = (times_[k + 1] - times_[k]) / unit;
    const double D0 = knots_[k].value - knots_[k - 1].value, D1 = knots_[k + 1].value - knots_[k].value;
    const auto add = [&](int equation, std::size_t knot, double of_rate, double of_acceleration) {
      if (knot == 0 || knot == count - 1) {
        right[row + equation] -=
            of_rate * knots_[knot].rate * unit + of_acceleration * knots_[knot].acceleration * unit * unit;
        return;
      }
      const int column = 2 * static_cast<int>(knot - 1);
      entries.emplace_back(row + equation, column, of_rate);
      entries.emplace_back(row + equation, column + 1, of_acceleration);
    };
    const double p0 = h0 * h0, p1 = h1 * h1;
    add(0, k - 1, -24 / p0, -3 / h0);
    add(0, k, -36 / p0 + 36 / p1, 9 / h0 + 9 / h1);
    add(0, k + 1, 24 / p1, -3 / h1);
    right[row] += 60 * (D1 / (p1 * h1) - D0 / (p0 * h0));
    add(1, k - 1, -168 / (p0 * h0), -24 / p0);
    add(1, k, -192 / (p0 * h0) - 192 / (p1 * h1), 36 / p0 - 36 / p1);
    add(1, k + 1, -168 / (p1 * h1), 24 / p1);
    right[row + 1] -= 360 * (D1 / (p1 * p1) + D0 / (p0 * p0));
  }
  SparseColumns A(size, size);
  A.setFromTriplets(entries.begin(), entries.end());
  SparseLu factor(A);
  if (!factor.factorize() || !factor.solve(right)) throw InputError("no spline fits the motion's table");
  const Vector& x = right;
  for (std::size_t k = 1; k + 1 < count; ++k) {
    knots_[k].rate = x[2 * static_cast<int>(k - 1)] / unit;
    knots_[k].acceleration = x[2 * static_cast<int>(k - 1) + 1] / (unit * unit);
  }
}

// Unknown: accelerations of the inner knots, by continuity of the third derivative; tridiagonal.
void MotionSpline::fit_to_rates() {
  const std::size_t count = knots_.size(), near_end = std::min<std::size_t>(count, 3);
  const double start = derivatives_of_polynomial(times_, knots_, 0, near_end, 0, true).acceleration;
  const double end = derivatives_of_polynomial(times_, knots_, count - near_end, count, count - 1, true).acceleration;
  knots_.front().acceleration = start, knots_.back().acceleration = end;
  std::vector<double> upper(count, 0), value(count, 0);
  value[0] = start;
  for (std::size_t k = 1; k + 1 < count; ++k) {
    const double h0 = times_[k] - times_[k - 1], h1 = times_[k + 1] - times_[k];
    const double D0 = knots_[k].value - knots_[k - 1].value, D1 = knots_[k + 1].value - knots_[k].value;
    const double before = knots_[k - 1].rate, here = knots_[k].rate, after = knots_[k + 1].rate;
    const double right =
        (60 * D1 / h1 - 36 * here - 24 * after) / (h1 * h1) - (60 * D0 / h0 - 24 * before - 36 * here) / (h0 * h0);
    const double pivot = 9 / h0 + 9 / h1 - (-3 / h0) * upper[k - 1];
    upper[k] = (-3 / h1) / pivot;
    value[k] = (right - (-3 / h0) * value[k - 1]) / pivot;
  }
  for (std::size_t k = count - 1; k-- > 1;) knots_[k].acceleration = value[k] - upper[k] * knots_[k + 1].acceleration;
}

SplineValue MotionSpline::at(double t) const {
  if (knots_.size() == 1) return knots_.front();
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  const std::size_t k = static_cast<std::size_t>(after - times_.begin()) - 1;
  const double h = times_[k + 1] - times_[k];
  return quintic_between(knots_[k], knots_[k + 1], h, (t - times_[k]) / h);
}

}  // namespace bricard

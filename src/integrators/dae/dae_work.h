// The work that a power has done, by the polynomial through its values at the last steps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace bricard {

class WorkHistory {
 public:
  void start(double t, double power, double work) {
    count_ = 0;
    work_ = work, from_ = t;
    push(t, power);
  }
  /// The end of a step; a later one than all before.
  void add(double t, double power) {
    work_ = at(times_[count_ - 1]);
    from_ = times_[count_ - 1];
    push(t, power);
  }
  /// Within the last step: Gauss's rule with three points, exact for the polynomial.
  double at(double t) const {
    const double half = 0.5 * (t - from_), middle = 0.5 * (t + from_), off = std::sqrt(0.6) * half;
    return work_ + half / 9 * (5 * power(middle - off) + 8 * power(middle) + 5 * power(middle + off));
  }

 private:
  static constexpr int most = 5;

  void push(double t, double power) {
    if (count_ == most) {
      std::copy(times_.begin() + 1, times_.end(), times_.begin());
      std::copy(powers_.begin() + 1, powers_.end(), powers_.begin());
      --count_;
    }
    times_[count_] = t;
    powers_[count_++] = power;
  }
  double power(double t) const {
    std::array<double, most> p = powers_;  // Neville's scheme
    for (int k = 1; k < count_; ++k)
      for (int j = 0; j < count_ - k; ++j)
        p[j] = ((t - times_[j + k]) * p[j] - (t - times_[j]) * p[j + 1]) / (times_[j] - times_[j + k]);
    return p[0];
  }

  std::array<double, most> times_{}, powers_{};
  int count_ = 0;
  double from_ = 0, work_ = 0;  // start of the last step
};

}  // namespace bricard

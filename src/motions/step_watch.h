// The speed of integration as a reason to change independent coordinates, "when subroutines with automatic step size
// control are used" [Jalon-Bayo 5.2.1]: where they are about to lose the others, steps get short. Twice running below a
// fifth of the median of the last thirty; a change needs ten steps before it can be judged, and so does the start.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

namespace bricard {

class StepWatch {
 public:
  /// The end of an accepted step: true if steps have become short.
  bool is_slow_at(double t) {
    const double step = t - end_;
    end_ = t;
    if (!(step > 0)) return false;  // the first one, or from further back
    const bool is_short = known_ >= fewest && step < 0.2 * median();
    in_a_row_ = is_short ? in_a_row_ + 1 : 0;
    steps_[known_ % most] = step;
    ++known_;
    return in_a_row_ >= 2;
  }
  /// Other coordinates: earlier steps say nothing of those to come.
  void forget() { known_ = 0, in_a_row_ = 0; }

 private:
  static constexpr long fewest = 10, most = 30;

  double median() const {
    std::array<double, most> sorted = steps_;
    const auto end = sorted.begin() + std::min(known_, most), middle = sorted.begin() + std::min(known_, most) / 2;
    std::nth_element(sorted.begin(), middle, end);
    return *middle;
  }

  std::array<double, most> steps_{};
  long known_ = 0;
  int in_a_row_ = 0;
  double end_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace bricard

// When rows of an analysis are due.
#pragma once

#include <algorithm>
#include <cmath>

namespace bricard {

/// Times of outputs: k steps from `start`, and the end, also when it is no multiple of the step.
class OutputTimes {
 public:
  OutputTimes(double start, double end, double step)
      : start_(start),
        end_(end),
        step_(step),
        inverse_(std::round(1 / step)),
        last_(static_cast<long>(std::ceil((end - start) / step * (1 - 1e-12)))) {
    if (!(std::abs(inverse_ * step - 1) < 1e-12)) inverse_ = 0;
  }
  double end() const { return end_; }
  long last() const { return last_; }
  long count() const { return last_ + 1; }
  /// Where the step is 1/n, as k/n, which prints as 0.41 and not as 0.41000000000000003.
  double operator[](long k) const {
    const auto count = static_cast<double>(k);
    return std::min(start_ + (inverse_ > 0 ? count / inverse_ : count * step_), end_);
  }

 private:
  double start_, end_, step_;
  double inverse_;  // of the step if that is a whole number, else 0
  long last_;
};

}  // namespace bricard

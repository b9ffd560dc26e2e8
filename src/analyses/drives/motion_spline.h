// A smooth function of time through samples: piecewise quintic polynomials, so that accelerations are of fourth order.
//   samples of values:            continuous up to the fourth derivative (a quintic interpolating spline)
//   samples of values and rates:  through both, continuous up to the third derivative
// The ends take their derivatives from the polynomial through the first (last) six data.
#pragma once

#include <vector>

#include "bricard/types.h"

namespace bricard {

struct SplineValue {
  double value = 0, rate = 0, acceleration = 0;
};

/// The quintic polynomial with value, rate and acceleration given at both ends of a step h, at the fraction s of it.
SplineValue quintic_between(const SplineValue& start, const SplineValue& end, double h, double s);

class MotionSpline {
 public:
  MotionSpline() = default;
  /// Times ascend; `rates` may be empty.
  MotionSpline(std::vector<double> times, const std::vector<double>& values, const std::vector<double>& rates);

  /// Before the first and after the last sample: the polynomial of the nearest piece.
  SplineValue at(double t) const;

 private:
  void fit_to_values();
  void fit_to_rates();

  std::vector<double> times_;
  std::vector<SplineValue> knots_;
};

}  // namespace bricard

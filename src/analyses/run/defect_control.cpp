#include "analyses/run/defect_control.h"

#include <algorithm>
#include <cmath>

namespace bricard {

bool DefectControl::is_defective(const MotionEquations& motion, Integrator& integrator, double start, double at,
                                 double end, const Vector& x, const Vector& xdot) {
  const double h = end - start;
  if (!(std::min(at - start, end - at) > 1e-6 * h) || !find_slope(integrator, start, at, end, slope_)) return false;
  motion.error_scales(scales_);
  const auto largest = [&](const Vector& a, const Vector& b) {
    double most = 0;
    for (int k = 0; k < scales_.size(); ++k) {
      if (std::isfinite(scales_[k])) most = std::max(most, std::abs(a[k] - b[k]) / (scales_[k] + std::abs(x[k])));
    }
    return most;
  };
  const double defect = largest(xdot, slope_);
  if (!(defect * h > std::sqrt(tolerance_))) return false;
  double change = 0;
  for (double part : {0.02, 0.25, 0.5, 0.75, 0.98}) {
    if (!find_slope(integrator, start, start + part * h, end, other_)) return false;
    change = std::max(change, largest(other_, slope_));
  }
  return defect > 5 * change;
}

bool DefectControl::find_slope(Integrator& integrator, double start, double at, double end, Vector& slope) {
  const double reach = std::min({1e-3 * (end - start), at - start, end - at});
  if (integrator.interpolate(at - reach, earlier_) != Status::ok ||
      integrator.interpolate(at + reach, later_) != Status::ok)
    return false;
  slope = (later_ - earlier_) / (2 * reach);
  return true;
}

}  // namespace bricard

#include "motions/motion_equations.h"

#include "motions/hermite.h"

namespace bricard {

void MotionEquations::interpolate(std::span<const StepPoint> points, double t, VectorRef x) {
  const HermiteWeights weights(points, 2, t);
  const int count = static_cast<int>(points.size());
  x.setZero();
  for (int i = 0; i < count; ++i) {
    const StepPoint& point = points[count - 1 - i];
    x += weights.value(i, 0) * point.x + weights.value(i, 1) * point.xdot;
  }
}

}  // namespace bricard

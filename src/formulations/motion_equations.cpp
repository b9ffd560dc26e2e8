// Cubic Hermite interpolation within a step [Hairer-Norsett-Wanner, Solving ODEs I, II.6 (6.7)].
#include "formulations/motion_equations.h"

namespace bricard {

void MotionEquations::interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1,
                                  ConstVector xdot1, double t, VectorRef x) const {
  const double h = t1 - t0;
  const double s = h == 0 ? 1 : (t - t0) / h;
  const double r = 1 - s;
  x = r * r * (1 + 2 * s) * x0 + s * s * (1 + 2 * r) * x1 + h * s * r * (r * xdot0 - s * xdot1);
}

}  // namespace bricard

// Hermite interpolation within a step [Hairer-Norsett-Wanner, Solving ODEs I, II.6 (6.7)].
#include "formulations/motion_equations.h"

namespace bricard {

void MotionEquations::interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1,
                                  ConstVector xdot1, const Vector* xdot_middle, double t, VectorRef x) {
  const double h = t1 - t0;
  const double s = h == 0 ? 1 : (t - t0) / h;
  const double r = 1 - s;
  x = r * r * (1 + 2 * s) * x0 + s * s * (1 + 2 * r) * x1 + h * s * r * (r * xdot0 - s * xdot1);
  // The slope of the cubic in the middle is 3/2 (x1 - x0)/h - (xdot0 + xdot1)/4. A multiple of s^2 r^2 (2 s - 1), which
  // changes neither values nor slopes at the ends, mends it: its own slope there is 1/8.
  if (xdot_middle && h != 0) {
    x += 8 * s * s * r * r * (2 * s - 1) * (h * *xdot_middle - 1.5 * (x1 - x0) + 0.25 * h * (xdot0 + xdot1));
  }
}

}  // namespace bricard

// Defect of a step: how far the derivative of the interpolant is from the derivative of the motion there. Where a law
// of the state acts, something may happen within a step that none of its stages has seen.
#pragma once

#include "integrators/integrator.h"
#include "motions/motion_equations.h"

namespace bricard {

class DefectControl {
 public:
  DefectControl(double tolerance, int size)
      : tolerance_(tolerance), scales_(size), earlier_(size), later_(size), slope_(size), other_(size) {}

  /// The derivative xdot at (`at`, x), in the step from `start` to `end`, is far from the interpolant's, further than
  /// that changes over the whole step.
  bool is_defective(const MotionEquations& motion, Integrator& integrator, double start, double at, double end,
                    const Vector& x, const Vector& xdot);

 private:
  /// Of the interpolant.
  bool find_slope(Integrator& integrator, double start, double at, double end, Vector& slope);

  double tolerance_;
  Vector scales_, earlier_, later_, slope_, other_;
};

}  // namespace bricard

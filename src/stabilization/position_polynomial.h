// Positions within a step by the quintic Hermite polynomial, for motions whose states hold neither q' nor q'': the
// accelerations at the ends (and in the middle, where an integrator asks for it) come from derivatives, which are
// evaluated once a step that is asked for.
#pragma once

#include "stabilization/mechanism_motion.h"

namespace bricard {

class PositionPolynomial {
 public:
  /// q and q' at t; states begin with q. False if accelerations cannot be found. Arguments as of
  /// MotionEquations::interpolate().
  bool at(MechanismMotion& motion, double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1,
          ConstVector xdot1, bool middle, double t, Vector& q, Vector& qdot);

 private:
  bool acceleration(MechanismMotion& motion, double t, ConstVector x, Vector& qddot);

  double known_start_ = -1, known_end_ = -1;
  Vector known_state_;  // at the end
  bool middle_is_known_ = false;
  Vector qddot0_, qddot1_, qddot_middle_, state_, rate_;
};

}  // namespace bricard

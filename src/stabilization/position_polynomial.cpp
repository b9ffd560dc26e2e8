#include "stabilization/position_polynomial.h"

#include "formulations/hermite.h"

namespace bricard {

bool PositionPolynomial::acceleration(MechanismMotion& motion, double t, ConstVector x, Vector& qddot) {
  rate_.resize(motion.size());
  if (motion.derivative(t, x, rate_) != Status::ok) return false;
  qddot = motion.accelerations();
  return true;
}

bool PositionPolynomial::at(MechanismMotion& motion, double t0, ConstVector x0, ConstVector xdot0, double t1,
                            ConstVector x1, ConstVector xdot1, bool middle, double t, Vector& q, Vector& qdot) {
  const int n = static_cast<int>(q.size());
  if (t0 != known_start_ || t1 != known_end_ || known_state_.size() != x1.size() || known_state_ != x1) {
    known_end_ = -1;
    if (!acceleration(motion, t0, x0, qddot0_) || !acceleration(motion, t1, x1, qddot1_)) return false;
    known_start_ = t0, known_end_ = t1, known_state_ = x1;
    middle_is_known_ = false;
  }
  if (middle && !middle_is_known_) {
    const double half = 0.5 * (t0 + t1);
    state_.resize(motion.size());
    motion.interpolate(t0, x0, xdot0, t1, x1, xdot1, nullptr, half, state_);
    if (!acceleration(motion, half, state_, qddot_middle_)) return false;
    middle_is_known_ = true;
  }
  const HermiteEnds ends{t1 - t0, x0.head(n), xdot0.head(n), qddot0_, x1.head(n), xdot1.head(n), qddot1_};
  const double s = ends.h != 0 ? (t - t0) / ends.h : 0;
  quintic(ends, s, q, qdot);
  if (middle) add_middle(ends, qddot_middle_, s, q, qdot);
  return true;
}

}  // namespace bricard

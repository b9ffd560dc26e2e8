// The rate of M v + P^T sigma along the motion with v and sigma held,
//   d/ds [M(q + s v) v + P(q + s v, t + s)^T sigma] at s = 0   =   M' v + P'^T sigma.
// It turns the forces of the acceleration equations, Q = L_q + Q_ex - M' v, into those of the canonical ones:
//   p' = L_q + Q_ex + P'^T sigma = Q + M' v + P'^T sigma                                        [Jalon-Bayo (5.101)]
// Central differences of sixth order need nothing but evaluations of M and P, so that every joint and every coordinate
// set is served; P' itself is nowhere computed. With displacements of 4e-3 rad the formula is exact to about 1e-16, and
// rounding leaves 1e-13 of |M v + P^T sigma| times the rate of the motion.
#pragma once

#include "system/system.h"

namespace bricard {

class MomentumRate {
 public:
  /// For coordinates whose velocities are q'.
  explicit MomentumRate(System& system);

  /// The system's last evaluation is another one afterwards.
  const Vector& at(double t, ConstVector q, ConstVector v, ConstVector sigma);

 private:
  double step(ConstVector v) const;

  System& system_;
  Equations eq_;
  Upto upto_;          // velocity-level rows have their Jacobian with velocities only
  Vector rate_scale_;  // a rate of 1/s of each velocity coordinate
  Vector no_states_, displaced_, value_, rate_;
};

/// Throws an InputError if a velocity-level row is not linear in the velocities, A(q, t) q' + B(q, t) = 0, as the
/// canonical formulations need.                                                                [Jalon-Bayo (5.123)]
void require_linear_rows(System& system, ConstVector q, ConstVector v, const char* formulation);

}  // namespace bricard

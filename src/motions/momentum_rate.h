// Rates of canonical momenta p = M v + P^T sigma. From M v' + P^T lambda = Q and lambda = sigma' alone, for any
// velocities v, quasi-velocities too,
//   p' = (Q + M' v) + P'^T sigma                                       [Jalon-Bayo (5.101); Q + M' v = L_q + Q_ex]
// with ' along the motion. No part of it is a difference:
//   P'^T sigma = J^T (g' sigma) + J'^T (g sigma),  g the rows' gradients on markers (joints/gradient_rates.h), J the
//   markers' derivatives; what of Q + M' v are not applied forces goes the same way (Coordinates::add_momentum_rates).
#pragma once

#include "joints/gradient_rates.h"
#include "system/system.h"

namespace bricard {

class MomentumRate {
 public:
  explicit MomentumRate(const System& system);

  /// rate += what p' has beside the applied forces; after System::evaluate_applied_forces(), at its state.
  void add(double t, ConstVector q, ConstVector v, ConstVector sigma, VectorRef rate);

 private:
  const System& system_;
  GradientRates gradient_rates_;
  std::vector<Load> impulses_;
  std::vector<Vec3> impulse_rates_;
};

/// Throws an InputError if a velocity-level row is not linear in the velocities, A(q, t) q' + B(q, t) = 0, as the
/// canonical formulations need.                                                                [Jalon-Bayo (5.123)]
void require_linear_rows(System& system, ConstVector q, ConstVector v, const char* formulation);

}  // namespace bricard

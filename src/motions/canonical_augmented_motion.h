// `canonical-augmented` in its modified form: momenta  p = M v + P^T [a (P v + k) + sigma]  with
//   k = Phi_t + 2 mu Omega Phi + Omega^2 w  and the integrals w' = Phi as a part of the state, by iteration:
//   (M + P^T a P) v_{i+1} = M v_i - P^T a k,  M v_0 = p;   sigma_{i+1} = sigma_i + a (P v_{i+1} + k),  sigma_0 = 0
//   p' = Q + M' v + P'^T sigma                     [Bayo-Avello 1994; Jalon-Bayo (5.118)-(5.121), Algorithm 5-8]
// P v + k = 0 lets errors decay by Phi' + 2 mu Omega Phi + Omega^2 w = 0. Velocity-level rows A v + B = 0 have
//   k = B + mu Omega w,   w' = A v + B                                              [Jalon-Bayo (5.125)-(5.126)]
// (the book's mu of these rows is a rate, here mu Omega, as in penalty_system.h).
// This is the augmented Lagrangian of the accelerations with every constraint integrated once: p for Q, and w, Phi,
// -Phi_t for Phi, Phi_dot, gamma. So its solver serves, first for v and sigma, then for v' and lambda = sigma'.
#pragma once

#include <vector>

#include "motions/canonical_motion.h"

namespace bricard {

class CanonicalAugmentedMotion : public CanonicalMotion {
 public:
  /// `solver`: an augmented-lagrangian.
  CanonicalAugmentedMotion(System& system, const FormulationOptions& options, std::unique_ptr<Formulation> solver,
                           std::unique_ptr<Stabilization> stabilization);
  bool keeps_branch_in_short_steps() const override { return true; }

 protected:
  Status find_velocities(ConstVector p, ConstVector integrals, VectorRef v) override;
  Status prepare_accelerations() override { return factorize(); }
  void integral_rates(VectorRef rates) const override;

 private:
  std::vector<bool> velocity_level_;  // of each row
  Vector Phi_;
};

}  // namespace bricard

// `canonical-lagrange`:  [M P^T; P 0] [v; sigma] = [p; -Phi_t],  p' = Q + M' v + P'^T sigma
//                                                      [Lankarani-Nikravesh 1988; Jalon-Bayo (5.103), Algorithm 5-6]
// Velocity-level rows A v + B = 0 are rows of P with Phi_t = B.
#pragma once

#include "motions/canonical_motion.h"

namespace bricard {

class CanonicalLagrangeMotion : public CanonicalMotion {
 public:
  /// `solver`: of [M P^T; P 0]. Near a singular position errors of p and q, divided by the smallest singular value of
  /// P, become errors of sigma, and P'^T sigma lets them into p'; a pseudoinverse, with its threshold above the drift,
  /// leaves such directions out.
  CanonicalLagrangeMotion(System& system, const FormulationOptions& options, std::unique_ptr<Formulation> solver,
                          std::unique_ptr<Stabilization> stabilization)
      : CanonicalMotion(system, options, std::move(solver), std::move(stabilization), 0) {}
};

}  // namespace bricard

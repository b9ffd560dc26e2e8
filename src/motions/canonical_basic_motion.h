// `canonical-augmented` in its basic form: the penalty of the accelerations with each constraint integrated once, and
// with its spring and damper left as forces. State (q, p), by iteration from sigma_0 = 0:
//   (M + P^T a P) v = p - P^T a Phi_t - P^T sigma_i,   sigma_{i+1} = sigma_i + a Phi_dot
//   p' = Q + M' v + P'^T sigma - P^T a (Omega^2 Phi + 2 Omega mu Phi_dot)          [Jalon-Bayo (5.114)-(5.116)]
// (printed with + P^T sigma in (5.116a), which (5.115) does not allow; a velocity-level row has Omega mu Phi_dot alone,
// as in penalty_system.h). The forces make it stiff, as sqrt(a) grows; and once iterated, with Phi_dot = 0, sigma takes
// them up, and Phi stays as it is. Both is why the book modifies it: canonical_augmented_motion.h.
#pragma once

#include <vector>

#include "motions/canonical_motion.h"

namespace bricard {

class CanonicalBasicMotion : public CanonicalMotion {
 public:
  /// `solver`: an augmented-lagrangian.
  CanonicalBasicMotion(System& system, const FormulationOptions& options, std::unique_ptr<Formulation> solver,
                       std::unique_ptr<Stabilization> stabilization);
  void show(Exhibit& exhibit) override;

 protected:
  Status find_velocities(ConstVector p, ConstVector integrals, VectorRef v) override;
  Status prepare_accelerations() override { return factorize(); }
  void add_feedback(VectorRef pdot) override;

 private:
  void set_penalties();

  Vector penalty_, rate_gain_, position_gain_;  // of each row
  bool is_relative_;                            // and not yet multiplied
  Vector Phi_, force_;
};

}  // namespace bricard

// Creates the motion of a formulation in the state that it integrates: one function for each member of states.def, and
// one place that takes it by that name.
#pragma once

#include <memory>

#include "dynamics/dynamics.h"
#include "motions/mechanism_motion.h"
#include "stabilization/stabilization.h"

namespace bricard {

struct MotionSetting {
  System& system;
  const FormulationType& formulation;
  FormulationOptions options = {};
  std::unique_ptr<Stabilization> stabilization;
  const Vector &q, &v;              // where it starts, on the constraints
  State state = formulation.state;  // another one than its own: of independent coordinates or velocities alone
  // --- of the state (q, v): a rung of the ladder (analyses/choice/choose_dynamics.h) ---
  const DynamicsType& dynamics = *find_dynamics_type("whole");  // one that fits
  bool proximal = false;                                        // multipliers are refined, no rows are left out
  bool within_steps = false;  // states are corrected also where derivatives are evaluated
  // --- of momenta ---
  bool by_pseudoinverse = false;  // velocities are found by the pseudoinverse of [M P^T; P 0]
  double t = 0;                   // when it starts there
};

namespace motions {
#define STATE(name) std::unique_ptr<MechanismMotion> name(MotionSetting setting);
#include "formulations/states.def"
#undef STATE
}  // namespace motions

/// Null if the state has no independent coordinates that could be chosen at the start.
std::unique_ptr<MechanismMotion> create_motion(MotionSetting setting);

}  // namespace bricard

// Creates the motion of a formulation in the state that it integrates: one function for each member of states.def, and
// one place that takes it by that name.
#pragma once

#include <memory>

#include "formulations/formulation.h"
#include "motions/mechanism_motion.h"
#include "stabilization/stabilization.h"

namespace bricard {

struct MotionSetting {
  System& system;
  const FormulationType& formulation;
  FormulationOptions options;
  std::unique_ptr<Stabilization> stabilization;
  const Vector &q, &v;  // where it starts, on the constraints
  // --- of the state (q, v) ---
  Engine engine = Engine::whole;              // one that fits (analyses/choice/choose_dynamics.h)
  bool within_steps = false;                  // states are corrected also where derivatives are evaluated
  const FormulationType* fallback = nullptr;  // of `whole`: what take_care() may change the formulation for
};

namespace motions {
#define STATE(name) std::unique_ptr<MechanismMotion> name(MotionSetting setting);
#include "formulations/states.def"
#undef STATE
}  // namespace motions

/// Null if the state has no independent coordinates that could be chosen at the start.
std::unique_ptr<MechanismMotion> create_motion(MotionSetting setting);

}  // namespace bricard

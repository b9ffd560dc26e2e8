// Motion in all coordinates over an engine: what tests of engines and of stabilisations begin with.
#pragma once

#include <memory>

#include "motions/create_motion.h"
#include "system/typical_inertia.h"

namespace bricard::testing_support {

struct MotionOver {
  const char* engine = "whole";
  const char* formulation = "lagrange";  // of `whole`
  const char* stabilization = "none";
  int redundant = 0;
  bool within_steps = false;
};

inline std::unique_ptr<MechanismMotion> motion_over(System& system, const Vector& q, const Vector& v,
                                                    const MotionOver& over,
                                                    std::unique_ptr<Stabilization> stabilization = nullptr) {
  const FormulationOptions options = {.typical_inertia = typical_inertia(system), .redundant = over.redundant};
  if (!stabilization) stabilization = find_stabilization_type(over.stabilization)->create(system, {});
  return create_motion({.system = system,
                        .formulation = *find_formulation_type(over.formulation),
                        .options = options,
                        .stabilization = std::move(stabilization),
                        .q = q,
                        .v = v,
                        .dynamics = *find_dynamics_type(over.engine),
                        .within_steps = over.within_steps});
}

}  // namespace bricard::testing_support

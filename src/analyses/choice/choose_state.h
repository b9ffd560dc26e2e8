// What of a motion is integrated, as a choice of its own: all of (q, v), independent coordinates and their rates (z,
// z'), or all positions and independent velocities (q, z'). Every formulation that solves for v' serves all three.
#pragma once

#include <string>

#include "bricard/method.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "stabilization/stabilization.h"
#include "system/system.h"

namespace bricard {

/// As in states.def.
const char* name_of(State state);

/// Independent coordinates or velocities were asked for: matrices of the whole system are needed.
bool state_needs_matrices(const Method& method);

/// That of `method`, where it is left to `auto` the formulation's own.
State state_of(const Method& method, const FormulationType& formulation);

/// "state 'extended' of lagrange"; the formulation's name alone for its own state.
std::string name_with_state(const Method& method, const FormulationType& formulation);

/// Throws InputError for a state that does not fit.
void refuse_state_misfit(const Method& method, const FormulationType& formulation, const System& system);
/// The same where integrator and stabilisation are known.
void refuse_state_misfit(const Method& method, const FormulationType& formulation, const IntegratorType& integrator);
void refuse_state_misfit(const Method& method, const FormulationType& formulation,
                         const StabilizationType& stabilization);

}  // namespace bricard

// The structure of a system at a state, and the columns of joint reactions; see bricard/structure.h.
#pragma once

#include <string>
#include <vector>

#include "bricard/structure.h"
#include "system/system.h"

namespace bricard {

Structure analyze_structure(System& system, ConstVector q, ConstVector v);

/// Names of the columns of a joint's reaction: fx fy fz mx my mz, planar fx fy mz, effort(s) for types without bodies.
std::vector<std::string> reaction_components(const System& system, int joint);
/// Their values from multipliers, and from a reaction already found.
void reaction_values(const System& system, int joint, ConstVector lambda, double* values);
void reaction_values(const System& system, const Reaction& reaction, double* values);

}  // namespace bricard

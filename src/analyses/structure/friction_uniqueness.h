// Friction that depends on a reaction which is not unique: where constraints are redundant, the load of a joint may be
// a convention, and then so is its friction, and with it the motion itself.
#pragma once

#include <string>
#include <vector>

#include "analyses/structure/structure.h"

namespace bricard {

/// Names of joints whose friction depends on their load while a component of their reaction force is not unique.
std::vector<std::string> joints_with_undetermined_friction(const Model& model, const Structure& structure);
/// What to tell of them; empty if there are none.
std::string undetermined_friction_text(const std::vector<std::string>& joints);

}  // namespace bricard

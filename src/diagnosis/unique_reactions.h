// Which reactions the equations of motion determine, and which are a convention: a quantity is unique if no state of
// self-stress changes it.                                                     [Wojtyra 2005; Fraczek, Wojtyra 2011]
#pragma once

#include <string>
#include <vector>

#include "bricard/diagnosis.h"
#include "diagnosis/self_stress.h"

namespace bricard {

std::vector<UniqueReaction> find_unique_reactions(const System& system, const SelfStress& stress);

/// Only pairs with several joints of which some are not unique.
std::vector<UniqueResultant> find_unique_resultants(const System& system, const SelfStress& stress);

}  // namespace bricard

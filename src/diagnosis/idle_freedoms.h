// Freedoms that belong to one body alone: idle spins, such as that of a rod between two balls about its own line, and
// directions without inertia, which make M singular.
#pragma once

#include <string>
#include <vector>

#include "bricard/diagnosis.h"
#include "system/system.h"

namespace bricard {

/// The system (reference-point coordinates) evaluated with `equations`.
std::vector<IdleSpin> find_idle_spins(const System& system, const Equations& equations);

std::vector<InertiaFree> find_inertia_free(const System& system, const Equations& equations);

}  // namespace bricard

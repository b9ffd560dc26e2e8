// Modes of a linearised system; see bricard/modes.h.
#pragma once

#include "bricard/modes.h"

namespace bricard {

class System;

Modes find_modes(const System& system, const Linearization& linear);

}  // namespace bricard

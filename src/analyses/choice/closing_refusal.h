// Formulation `closing-conditions` before a run: which loops cannot be closed explicitly, and from which coordinates all
// can.
#pragma once

#include "bricard/method.h"
#include "system/system.h"

namespace bricard {

/// Throws InputError at (q, v) where the choice of independent coordinates, or every choice, leaves joints over: with their
/// names and the reason.
void refuse_open_loops(System& system, ConstVector q, ConstVector v, const Method& method);

}  // namespace bricard

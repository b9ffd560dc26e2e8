// Independent coordinates that are given instead of chosen, z = B q with a constant B, and choices that are kept.
#pragma once

#include "selections/selection.h"

namespace bricard {

/// Rows of B in dimensionless velocities, for good.                                                [Jalon-Bayo (5.54)]
std::unique_ptr<Selection> given_selection(const Matrix& B);

/// Chooses once, at the start, and keeps the choice however its pivots fall.                      [Pekal-Fraczek, 2.3]
std::unique_ptr<Selection> kept_selection(std::unique_ptr<Selection> chooser);

}  // namespace bricard

// What a mass and a moment of inertia of a model typically are: makes rank decisions and metrics independent of units.
#pragma once

#include "system/system.h"

namespace bricard {

/// For each velocity coordinate: the mean mass, or the mean mass times the squared characteristic length for rotations.
Vector typical_inertia(const System& system);

/// Rows of P in dimensionless velocities and of unit length, so that units do not decide ranks.
SparseRows dimensionless_rows(const SparseRows& P, const Vector& typical_inertia);

/// Small enough to leave M alone, large enough to keep M + metric_part * typical_inertia regular where M is not:
/// massless bodies and inertia-free directions then move first and cheaply in corrections, but not without limit.
inline constexpr double metric_part = 1e-4;

}  // namespace bricard

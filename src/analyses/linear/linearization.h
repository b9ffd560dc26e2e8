// Linearisation of a system at a state; see bricard/linearization.h.
#pragma once

#include <string>
#include <vector>

#include "bricard/linearization.h"
#include "system/system.h"

namespace bricard {

struct LinearizationOptions {
  /// Joint coordinates to be the independent ones ("joint" or "joint.angle2"); empty: an orthonormal choice.
  std::vector<std::string> independent = {};
  /// Internal states of friction; empty: zero.
  Vector states = {};
};

/// Typical rate of the small motions, 1/s, no less than the pace, and the units of x in which all terms of A are rates
/// to compare with it.
double typical_rate(const Linearization& linear);
Vector state_units(const Linearization& linear);

/// The system must use coordinates `reference-point`. Throws InputError for independent coordinates that do not exist
/// or do not determine the motion.
Linearization linearize(System& system, double t, ConstVector q, ConstVector v,
                        const LinearizationOptions& options = {});

}  // namespace bricard

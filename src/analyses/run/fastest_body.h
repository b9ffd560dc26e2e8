// What moves fastest, where a run ends because something grows without bound.
#pragma once

#include <string>

#include "system/system.h"

namespace bricard {

/// "; body a turns at 3e8 rad/s": rotations count with the length of the model. Empty if nothing moves.
std::string fastest_body(System& system, double t, const Vector& q, const Vector& v);

}  // namespace bricard

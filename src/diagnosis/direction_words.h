// Directions of forces and moments in words that an engineer would use.
#pragma once

#include <string>

#include "system/system.h"

namespace bricard {

/// "z force", "forces across its axis", "moment about (0.6, 0.8, 0)", "force along crank": what an orthonormal set of
/// directions spans, for a joint at the last evaluation of the system. `noun`: force or moment.
std::string direction_words(const System& system, int joint, const Matrix& directions, const std::string& noun);

/// "x", or "(0.6, 0.8, 0)", the same for a direction and its opposite.
std::string vector_words(const Vec3& direction, bool planar);

/// "A", "A and B", "A, B and C"
std::string listed(const std::vector<std::string>& names);

}  // namespace bricard

// Independent coordinates by hand: `selection: [slider.x, crank.angle]`, or combinations of coordinates, z = B q:
// `selection: [link1.angle - link2.angle]`.                                                        [Jalon-Bayo (5.54)]
#pragma once

#include <string>

#include "system/system.h"

namespace bricard {

/// False for the name of a selection that chooses itself.
bool gives_coordinates(const std::string& selection);

/// B of a list of names or combinations. Throws InputError for a name that no coordinate has, with the nearest one.
Matrix given_coordinates(const System& system, const std::string& selection);

/// Throws InputError where they do not determine the motion at (q, v): another number than there are freedoms, or a pivot
/// of [P; B] that vanishes, with the coordinates that Gauss elimination would leave.
void refuse_poor_coordinates(System& system, ConstVector q, ConstVector v, const Matrix& B, int freedoms);

}  // namespace bricard

// The velocity transformation of relative coordinates, formed: what relative.h goes through joint by joint.
//   v1 = R1 z',   v1' = R1 z'' + S1 c1,   P1 R1 = 0                            [Jalon-Bayo (5.71)-(5.88), (5.90)-(5.92)]
// v1 are velocities and turning rates of all bodies, P1 the rows of the tree's joints in them, and P2 those of the
// joints at which loops are opened:
//   [R1^T M1 R1   (P2 R1)^T; P2 R1   0] [z''; lambda2] = [R1^T (Q1 - M1 S1 c1); gamma2 - P2 S1 c1]
// Column i of R1 has the velocities for z_i' = 1: zero but outboard of joint i. The same columns in natural coordinates
// are the velocities of their points and unit vectors, as the book has them.
#pragma once

#include <vector>

#include "bricard/equations.h"
#include "system/system.h"

namespace bricard {

/// Of a system in relative coordinates at (t, q, v).
std::vector<NamedMatrix> velocity_transformation(System& system, double t, const Vector& q, const Vector& v,
                                                 const Vector& friction_states);

}  // namespace bricard

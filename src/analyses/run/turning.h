// Motions that turn as a whole: a steadily precessing top, a disc rolling in a circle, a pendulum on a turning axis.
// Seen from axes that turn with the constant angular velocity w they are at rest or spin in place, and only from there
// their linearised equations have constant coefficients.
//   v(t) = R_w(t) v(0), so v' = S_w v;   J' = [w~, J];   P' Y = -P S_w Y where P Y = 0     (S_w: w x on every triple)
// are linear in w: least squares find it, and their residual says whether the motion is one of these.
#pragma once

#include "analyses/linear/local_equations.h"

namespace bricard {

/// S_w X: columns of velocities, all turned. Planar: w along z, angles stay.
Matrix turned(const System& system, const Vec3& w, const Matrix& X);
/// X with every translation and rotation turned by the rotation vector.
Matrix rotated(const System& system, const Vec3& turn, const Matrix& X);
/// Omega X: omega of each body x rotations; d(xi)/dt = dv + Omega xi for displacements xi.
Matrix spun(const System& system, const Vector& v, const Matrix& X);

struct Turning {
  Vec3 w = Vec3::Zero();
  bool ok = false;  // the motion turns as a whole at this instant; rest with no acceleration included
};
/// `Z`, `Y`: displacements and velocities that the constraints allow, `P_rate`: dP/dt along the motion, `rate`: of the
/// linearised motion, 1/s, by which accelerations are small or not.
Turning find_turning(const LocalEquations& equations, const Matrix& Z, const Matrix& Y, const Matrix& P_rate,
                     double rate);

}  // namespace bricard

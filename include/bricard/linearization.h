// The equations of motion linearised about a state (q0, v0), in independent displacements z, independent speeds y and
// the internal states s of friction:
//   displacement   xi = Z z,          the columns of Z span the null space of the holonomic rows of P
//   change of v    dv = Y y + W z,    the columns of Y span the null space of all rows
//   M y' + C y + K z + N s = 0,       x = (z, y, s),   x' = A x
// `reference-point` coordinates: displacements are small translations and rotations about world axes, so that a wheel
// that spins or a top that sleeps has constant coefficients. A motion that turns as a whole (steady precession, rolling
// in a circle) is linearised in axes that turn with it, where its coefficients are constant too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/types.h"

namespace bricard {

struct Model;

struct Linearization {
  bool ok = false;
  std::string failure;
  std::vector<std::string> messages;

  int displacements = 0, speeds = 0, states = 0;  // sizes of z, y, s
  std::vector<std::string> names;                 // of the independent displacements, where they have names
  Matrix Z, Y, W;
  Matrix M, C, K;               // speeds x speeds, speeds x speeds, speeds x displacements
  Matrix N;                     // speeds x states
  Matrix A;                     // state matrix
  Vec3 turning = Vec3::Zero();  // angular velocity of the axes in which z and y are taken
  Vector acceleration;          // v' at the state
  Vector lambda;                // multipliers there
  double derivative_error = 0;  // estimated, relative to the largest entry of A
  double pace = 0;              // 1/s: how fast speeds, accelerations and forces are, rounding of which A holds, too
  /// True if A stays the same along the motion (rest, or steady motion such as straight rolling): eigenvalues then say
  /// whether it is stable.
  bool steady = false;
};

/// At the assembled start. `independent`: joint coordinates to be the independent ones ("joint" or "joint.angle2");
/// empty: an orthonormal choice. Throws InputError for coordinates that do not exist or do not determine the motion.
Linearization linearize(const std::shared_ptr<const Model>& model, const std::vector<std::string>& independent = {});

}  // namespace bricard

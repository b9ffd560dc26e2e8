// Newton's method with line search for the equations of rest (KINSOL), in displacements u and multipliers mu together:
//   [H  Ps^T] [du ]     [r  ]
//   [Ps   0 ] [dmu] = - [Phi]
// Where the matrix is singular (redundant rows, directions without stiffness) the step is the least-squares one of
// least norm. Displacements are counted from the last iterate, so that finite rotations need no parameters.
// A. C. Hindmarsh et al., SUNDIALS, ACM Transactions on Mathematical Software 31 (2005) 363-396; scaling before ranks
// are decided: D. Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, RAL-TR-2001-034.
#pragma once

#include "analyses/statics/static_equations.h"

namespace bricard {

struct StaticSolution {
  bool ok = false;
  Vector q, mu;
  int iterations = 0;
  double residual = 0;  // largest component of r and Phi
};

/// `tolerance` is of r and Phi. Leaves the equations evaluated at the solution, with H.
StaticSolution solve_statics(StaticEquations& equations, const Vector& q, const Vector& mu, double tolerance);

}  // namespace bricard

// Stability of an equilibrium: the tangent stiffness on the null space of the rows,
//   K = Z^T H Z,   the columns of Z orthonormal, Ps Z = 0.
// K symmetric (forces with a potential): stable if positive definite [Lagrange, Dirichlet], neutral along directions
// without stiffness. Else (follower forces): the eigenvalues of the linearised motion decide.
#pragma once

#include <string>
#include <vector>

#include "analyses/statics/static_equations.h"
#include "bricard/equilibrium.h"

namespace bricard {

struct StabilityReport {
  Stability stability = Stability::stable;
  double smallest_stiffness = 0;  // N/m
  Vector softest;                 // its direction u; empty if unknown
  std::vector<Vector> neutral;    // directions without stiffness
  bool conservative = true;
  double growth = 0;
  std::string message;
};

/// After tangent(q, mu) at the equilibrium.
StabilityReport assess_stability(StaticEquations& equations, const Vector& q);

/// "angle of A", or the body that moves most.
std::string describe_direction(StaticEquations& equations, const Vector& q, const Vector& u);

}  // namespace bricard

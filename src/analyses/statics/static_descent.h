// Descent to a stable equilibrium along the constraints: Newton steps made to go downhill,
//   [H + sigma I  Ps^T] [du]   [-r  ]
//   [Ps             0 ] [. ] = [-Phi],   H the symmetric part of the tangent,
// sigma large enough that H + sigma I is positive definite on the null space of Ps (sparse LDL^T of H + sigma I + c
// Ps^T Ps) and that the forces do positive work on the way. With sigma -> infinity this is the creeping motion of the
// mechanism in honey; a saddle point is left, not approached.
// C. T. Kelley, D. E. Keyes, Convergence analysis of pseudo-transient continuation, SIAM Journal on Numerical Analysis
// 35 (1998) 508-523; J. Nocedal, S. J. Wright, Numerical optimization, 16.2 and 18.4.
#pragma once

#include "analyses/statics/static_equations.h"

namespace bricard {

enum class DescentEnd { at_rest, runs_away, stuck };

struct Descent {
  DescentEnd end = DescentEnd::stuck;
  Vector q, mu;
  int steps = 0;
  Vector unbalanced;  // what is left of b - Ps^T mu
};

Descent descend(StaticEquations& equations, const Vector& start);

}  // namespace bricard

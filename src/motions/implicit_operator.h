// What a motion may offer to implicit integrators of x' = f(t, x): solutions with I - gamma df/dx at the cost of one
// sparse factorisation, where difference quotients would give a full matrix.
#pragma once

#include "motions/motion_equations.h"

namespace bricard {

class ImplicitOperator {
 public:
  virtual ~ImplicitOperator() = default;
  /// Finds the derivatives of f at (t, x).
  virtual Status linearize(double t, ConstVector x) = 0;
  /// With the derivatives of the last linearize(). False if the matrix is singular.
  virtual bool factorize(double gamma) = 0;
  /// (I - gamma df/dx) dx = r. False if the solution is not finite.
  virtual bool solve(ConstVector r, VectorRef dx) = 0;
  /// Size of the factors.
  virtual long factor_nonzeros() const = 0;
};

}  // namespace bricard

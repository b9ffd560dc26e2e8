// The equations of a mechanism at one instant, as plain data with a fixed sparsity pattern:
//   M v' + P^T lambda = Q,   P v' = gamma,   Phi = 0,   Phi_dot = P v + Phi_t = 0   (P: the papers' Phi_q)
// A velocity-level row has Phi = 0 and its residual in Phi_dot.
// Motions that find accelerations without matrices (the engines bodies and tree) have equations without M and P.
#pragma once

#include "coordinates/coordinates.h"

namespace bricard {

struct Equations {
  double t = 0;
  SparseColumns M;  // symmetric, both triangles stored
  SparseRows P;
  Vector Q, Phi, Phi_t, Phi_dot, gamma;

  int velocities() const { return static_cast<int>(M.rows()); }
  int rows() const { return static_cast<int>(P.rows()); }
  bool has_matrices() const { return M.rows() == Q.size() && P.rows() == Phi.size(); }

  /// Dense copies for the classical methods; the targets must have the right size.
  void dense_mass(Matrix& target) const;
  void dense_jacobian(Matrix& target) const;
  /// [M P^T; P -mu I]
  Matrix saddle_point(double mu = 0) const;
};

}  // namespace bricard

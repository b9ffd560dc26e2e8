// The projection onto the constraints with matrices of the whole system:
//   [M + D, P^T; P, -mu I] [dq; y] = [0; -Phi],  then  [M + D, P^T; P, -mu I] [dv; y] = [0; -Phi_dot]
//                                                              [Bayo-Ledesma 1996; Eich 1993; Blajer 2002]
// D is a small part of typical inertias, for bodies without mass. Redundant rows and singular positions: -mu I with
// proximal refinement. Directions of P whose squared singular value (in this metric) is below mu are left alone, so
// that a nearly singular position causes no jump.
#pragma once

#include <string>
#include <vector>

#include "linear/kkt_solver.h"
#include "system/status.h"
#include "system/system.h"

namespace bricard {

class WholeProjection {
 public:
  explicit WholeProjection(System& system);
  StepChange project(double t, VectorRef q, VectorRef v);
  const std::string& failure() const { return failure_; }

 private:
  /// mu relative to the typical size of P (M + D)^-1 P^T; false if that is zero.
  bool find_scale();
  bool factorize(const SparseRows& P);
  /// P with rows of velocities left out.
  const SparseRows& rows_of_positions();
  /// step = -(metric-weighted minimum-norm solution) for the residual; not finite if there is none.
  void find_step(const Vector& residual);

  System& system_;
  Equations eq_;
  KktSolver solver_;
  std::vector<int> velocity_rows_;
  SparseRows P_of_positions_;
  Vector shift_, zero_, no_states_, step_, multiplier_, right_;
  double tolerance_ = 0, mu_ = 0;
  std::string failure_;
};

}  // namespace bricard

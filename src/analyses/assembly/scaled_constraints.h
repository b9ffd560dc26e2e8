// The Jacobian of the constraints in dimensionless velocities (by the typical inertia) and with rows of unit length, so
// that its singular values mean the same in any units: where they become small, a singular position is near. The
// length of a row is its largest at some random positions; its own at each position would hide a row that vanishes.
#pragma once

#include "system/system.h"

namespace bricard {

class ScaledConstraints {
 public:
  /// (q, v): an assembled state.
  ScaledConstraints(System& system, ConstVector q, ConstVector v);

  void evaluate(double t, ConstVector q, ConstVector v);
  const SparseRows& P() const { return P_; }
  /// Errors of the constraints, of the same scale.
  Vector errors() const { return eq_.Phi.cwiseQuotient(row_length_); }
  /// What rows and columns are divided by.
  const Vector& row_length() const { return row_length_; }
  const Vector& root_inertia() const { return root_inertia_; }
  /// What a change of the dimensionless coordinates means in velocity coordinates.
  Vector displacement(const Vector& dimensionless) const { return dimensionless.cwiseQuotient(root_inertia_); }

 private:
  void scale();
  Vector row_lengths() const;

  System& system_;
  Equations eq_;
  Vector root_inertia_, row_length_, no_states_;
  SparseRows P_;
};

}  // namespace bricard

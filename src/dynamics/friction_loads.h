// Loads of joints whose friction depends on them: n_j = |R_j|, where the reaction forces R depend on friction, which is
// proportional to the loads, and so linearly on the loads themselves:
//   n_j = |R0_j + sum_k n_k R_jk|
// Of several solutions it is the one that grows out of the frictionless one: s goes from 0 to 1 in
//   n_j = |R0_j + s sum_k n_k R_jk|,   Newton: (I - s [u_j . R_jk]) dn = ...,   u_j = R_j / |R_j|
// Where the matrix becomes singular on the way, the load that friction adds calls for more friction than that, without
// limit: the joint jams, and rigid bodies with this friction have no acceleration (Painleve's paradox).
#pragma once

#include "bricard/types.h"

namespace bricard {

class FrictionLoads {
 public:
  explicit FrictionLoads(int joints);

  int size() const { return static_cast<int>(n_.size()); }
  /// R0_j: three components for each joint, without friction.
  Vector& free() { return free_; }
  /// Column k: what a unit of the load of joint k adds to all of them.
  Matrix& per_load() { return per_load_; }

  /// False if a joint jams.
  bool solve();
  const Vector& loads() const { return n_; }
  /// The joint whose load grew most.
  int jammed() const { return jammed_; }

 private:
  bool newton(double s, Vector& n);

  Vector free_, n_, next_, change_, R_;
  Matrix per_load_, jacobian_;
  Eigen::PartialPivLU<Matrix> factor_;
  int jammed_ = 0;
};

}  // namespace bricard

// The same mechanism in free bodies, where every joint has rows: finds the loads of joints that a coordinate set
// absorbs, from the bodies' accelerations by inverse dynamics,
//   P^T lambda = Q - M v'   (least norm where it is not unique)                     [Jalon-Bayo section 5.3, last part]
#pragma once

#include <memory>
#include <vector>

#include "linear/minimum_norm.h"
#include "system/system.h"

namespace bricard {

class BodyCompanion {
 public:
  explicit BodyCompanion(System& system);

  /// Goes where `system` is: the state at which it was evaluated last, with its accelerations v' and its friction.
  void follow(double t, ConstVector q, ConstVector v, ConstVector vdot, ConstVector friction_states);

  System& system() { return bodies_; }
  const Equations& equations() const { return eq_; }
  const Vector& Q() const { return Q_; }  // with friction
  const Vector& accelerations() const { return vdot_; }
  const Vector& multipliers() const { return lambda_; }

 private:
  System& followed_;
  System bodies_;
  Equations eq_;
  Vector q_, v_, vdot_, Q_, force_, lambda_;
  std::vector<BodyState> states_;
  std::vector<Vec3> linear_, angular_;
  MinimumNorm solver_;
};

}  // namespace bricard

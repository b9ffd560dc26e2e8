// The same mechanism in free bodies, where every joint has rows: finds the loads of joints that a coordinate set
// absorbs, from the bodies' accelerations by inverse dynamics,
//   P^T lambda = Q - M v'   (least norm where it is not unique)                     [Jalon-Bayo section 5.3, last part]
// or, where the graph of the joints fits, from its own equations of motion in linear time.
#pragma once

#include <memory>
#include <vector>

#include "linear/minimum_norm.h"
#include "stabilization/mechanism_motion.h"

namespace bricard {

class BodyCompanion {
 public:
  /// `regular`: no constraint depends on others.
  explicit BodyCompanion(System& system, bool regular = false);

  /// Goes where `system` is: the state at which it was evaluated last, with its accelerations v' and its friction.
  void follow(double t, ConstVector q, ConstVector v, ConstVector vdot, ConstVector friction_states);

  System& system() { return bodies_; }
  const Equations& equations() const { return graph_ ? graph_->equations() : eq_; }
  const Vector& Q() const { return Q_; }  // with friction
  const Vector& accelerations() const { return vdot_; }
  const Vector& multipliers() const { return lambda_; }

 private:
  void find_accelerations(ConstVector q, ConstVector v, ConstVector vdot);

  System& followed_;
  System bodies_;
  Equations eq_;
  Vector q_, v_, vdot_, Q_, force_, lambda_;
  std::vector<BodyState> states_;
  std::vector<Vec3> linear_, angular_;
  MinimumNorm solver_;
  std::unique_ptr<MechanismMotion> graph_;
  Vector x_, xdot_;  // its states
};

}  // namespace bricard

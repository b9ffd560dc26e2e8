// The result columns of a run: what they are called and how a state fills them.
#pragma once

#include <string>
#include <vector>

#include "analyses/body_companion.h"
#include "analyses/physical_reactions.h"
#include "stabilization/mechanism_motion.h"

namespace bricard {

class Recorder {
 public:
  Recorder(System& system, ReactionScheme scheme);

  const std::vector<std::string>& columns() const { return columns_; }
  /// Values at the state at which the motion's derivative was evaluated last.
  void record(double t, System& system, const MechanismMotion& motion, ConstVector friction_states, Vector& row);

  /// Columns that the run itself watches.
  int energy_total() const { return energy_ + 2; }
  int constraint_position() const { return energy_ + 3; }
  int constraint_velocity() const { return energy_ + 4; }

 private:
  std::vector<std::string> columns_;
  int energy_ = 0;
  std::unique_ptr<BodyCompanion> companion_;  // of coordinates that absorb joints
  PhysicalReactions reactions_;
  Vector Q_;
};

}  // namespace bricard

// Joint reactions from multipliers: a row's gradient g on a marker of body j is the force -lambda g on a point, the
// moment -lambda (u x g) on a unit vector u, and the moment -lambda g on a rotation. So no joint type needs code of its
// own.
#pragma once

#include "joints/row_builder.h"

namespace bricard {

/// What body i exerts on body j, at `place`, in world axes.
struct Reaction {
  Vec3 force = Vec3::Zero();
  Vec3 moment = Vec3::Zero();
  Vec3 place = Vec3::Zero();
};

class Reactions {
 public:
  Reactions(const Model& model, const Rows& rows, const std::vector<ReactionPlace>& places, Markers& markers);

  /// Reaction of a joint for multipliers of all rows; the rows must have been evaluated.
  Reaction of_joint(int joint, const Rows& rows, const Markers& markers, ConstVector lambda) const;
  /// Rows of a joint: first and one past the last.
  std::pair<int, int> rows_of_joint(int joint) const { return rows_of_joint_[joint]; }
  /// Types without bodies (gear, constraint) have efforts instead of a force and a moment.
  bool has_reaction(int joint) const { return has_reaction_[joint]; }

 private:
  std::vector<ReactionPlace> places_;
  std::vector<int> body_j_;
  std::vector<bool> has_reaction_;
  std::vector<std::pair<int, int>> rows_of_joint_, entries_of_joint_;  // first and one past the last
};

}  // namespace bricard

// Where a body is and how it moves.
#pragma once

#include "bricard/types.h"

namespace bricard {

/// In world axes.
struct BodyState {
  Vec3 center = Vec3::Zero();
  Quaternion orientation = Quaternion::Identity();
  double angle = 0;  // planar, over full turns
  Vec3 velocity = Vec3::Zero(), omega = Vec3::Zero();
};

}  // namespace bricard

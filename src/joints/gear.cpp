// Gear: coordinate of joint b = ratio * coordinate of joint a; revolute or prismatic, so also rack and pinion.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType gear() {
  return {.name = "gear",
          .description = "couples the coordinates of two joints",
          .planar_rows = 1,
          .spatial_rows = 1,
          .general_rows = true,
          .keys = {"no-bodies", "joints", "ratio"},
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.combination(
                {{builder.coordinates[joint.joint_b][0], 1}, {builder.coordinates[joint.joint_a][0], -joint.ratio}},
                Expression(0), "ratio");
          }};
}

}  // namespace bricard::joint_kinds

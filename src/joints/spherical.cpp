// Spherical joint: the points coincide.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType spherical() {
  return {.name = "spherical",
          .description = "ball joint",
          .spatial_rows = 3,
          .keys = {"at"},
          .tree_links = JointLinks{{JointLink::Kind::ball}},
          .shared = SharedElements::point,
          .spatial_weaker = {{"point_on_line", WeakerType::Axis::world}, {"point_on_plane", WeakerType::Axis::world}},
          .building_effort = 1,
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.coincide(builder.point(joint.i, joint.at_i), builder.point(joint.j, joint.at_j));
          }};
}

}  // namespace bricard::joint_kinds

// Distance: a massless rod with ball ends.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType distance() {
  return {.name = "distance",
          .description = "keeps two points at a distance",
          .planar_rows = 1,
          .spatial_rows = 1,
          .keys = {"at2", "length?"},
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.distance(builder.point(joint.i, joint.at_i), builder.point(joint.j, joint.at_j), joint.length);
          }};
}

}  // namespace bricard::joint_kinds

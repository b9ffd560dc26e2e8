// A point of j stays on a plane of i.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType point_on_plane() {
  return {.name = "point_on_plane",
          .description = "a point of j on a plane of i",
          .spatial_rows = 1,
          .keys = {"at", "axis"},
          .spatial_axis = JointAxis::normal,
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.along(builder.vector(joint.i, joint.axis_i), builder.point(joint.i, joint.at_i),
                          builder.point(joint.j, joint.at_j), "along normal");
          }};
}

}  // namespace bricard::joint_kinds

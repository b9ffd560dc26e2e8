// An axis of j stays perpendicular to an axis of i.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType perpendicular_axes() {
  return {.name = "perpendicular_axes",
          .description = "keeps an axis of j perpendicular to one of i",
          .spatial_rows = 1,
          .keys = {"axes"},
          .spatial_axis = JointAxis::two,
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.dot(builder.vector(joint.i, joint.axis_i), builder.vector(joint.j, joint.axis_j),
                        "axes perpendicular");
          }};
}

}  // namespace bricard::joint_kinds

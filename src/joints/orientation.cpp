// No relative rotation, any relative translation.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType orientation() {
  return {.name = "orientation",
          .description = "keeps the orientation of j relative to i",
          .spatial_rows = 3,
          .keys = {},
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.axes_parallel(joint);
            builder.no_twist(joint);
          }};
}

}  // namespace bricard::joint_kinds

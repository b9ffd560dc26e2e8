// An axis of j stays parallel to an axis of i.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType parallel_axes() {
  return {.name = "parallel_axes",
          .description = "keeps an axis of j parallel to one of i",
          .spatial_rows = 2,
          .keys = {"axis"},
          .spatial_axis = JointAxis::along,
          .build = [](const Joint& joint, RowBuilder& builder) { builder.axes_parallel(joint); }};
}

}  // namespace bricard::joint_kinds

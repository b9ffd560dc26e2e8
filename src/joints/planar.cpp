// Planar joint: a plane of j slides on a plane of i.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType planar() {
  return {.name = "planar",
          .description = "slides in, and turns about the normal of, a plane",
          .spatial_rows = 3,
          .keys = {"at", "axis"},
          .tree_links = JointLinks{{JointLink::Kind::slide, JointLink::Along::across},
                                   {JointLink::Kind::slide, JointLink::Along::across_both},
                                   {JointLink::Kind::turn}},
          .spatial_axis = JointAxis::normal,
          .spatial_weaker = {{"parallel_axes"}, {"point_on_plane"}},
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.axes_parallel(joint);
            builder.along(builder.vector(joint.i, joint.axis_i), builder.point(joint.i, joint.at_i),
                          builder.point(joint.j, joint.at_j), "along normal");
          }};
}

}  // namespace bricard::joint_kinds

// Knife edge (skate, blade, ideal wheel): a point of j has no velocity relative to i along a direction of j.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType knife_edge() {
  return {.name = "knife_edge",
          .description = "a point of j does not move sideways relative to i",
          .planar_rows = 1,
          .spatial_rows = 1,
          .planar_velocity_rows = 1,
          .spatial_velocity_rows = 1,
          .general_rows = true,
          .keys = {"at", "axis"},
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.knife_edge({.row = 0,
                                .point = builder.point(joint.j, joint.at_j),
                                .u = builder.vector(joint.j, joint.axis_j),
                                .origin = builder.point(joint.i, joint.at_i),
                                .base = builder.rotation(joint.i),
                                .entry = 0});
          }};
}

}  // namespace bricard::joint_kinds

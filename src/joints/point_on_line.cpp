// A point of j stays on a line of i.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType point_on_line() {
  return {.name = "point_on_line",
          .description = "a point of j on a line of i",
          .planar_rows = 1,
          .spatial_rows = 2,
          .keys = {"at", "axis"},
          .planar_coordinates = {JointCoordinate::position},
          .spatial_coordinates = {JointCoordinate::position},
          .planar_axis = JointAxis::along,
          .spatial_axis = JointAxis::along,
          .spatial_weaker = {{"point_on_plane", WeakerType::Axis::across}},
          .building_effort = 2,
          .measure = [](const Joint& joint, RowBuilder& builder) { builder.measure_position(joint); },
          .build =
              [](const Joint& joint, RowBuilder& builder) {
                if (!builder.planar()) return builder.on_axis(joint);
                builder.along(builder.vector(joint.i, Vec3::UnitZ().cross(joint.axis_i)),
                              builder.point(joint.i, joint.at_i), builder.point(joint.j, joint.at_j), "across line");
              }};
}

}  // namespace bricard::joint_kinds

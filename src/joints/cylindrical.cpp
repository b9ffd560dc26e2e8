// Cylindrical joint: turns about and slides along one axis.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType cylindrical() {
  return {.name = "cylindrical",
          .description = "slides along and turns about an axis",
          .spatial_rows = 4,
          .keys = {"at", "axis"},
          .spatial_coordinates = {JointCoordinate::position, JointCoordinate::angle},
          .tree_links = JointLinks{{JointLink::Kind::slide}, {JointLink::Kind::turn}},
          .spatial_axis = JointAxis::along,
          .turning_pair = true,
          .spatial_weaker = {{"parallel_axes"}, {"point_on_line"}, {"point_on_plane", WeakerType::Axis::across}},
          .building_effort = 1,
          .measure =
              [](const Joint& joint, RowBuilder& builder) {
                builder.measure_position(joint);
                builder.measure_angle(joint);
              },
          .build =
              [](const Joint& joint, RowBuilder& builder) {
                builder.axes_parallel(joint);
                builder.on_axis(joint);
              }};
}

}  // namespace bricard::joint_kinds

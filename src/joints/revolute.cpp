// Revolute joint: the points coincide; in space the axis of j stays perpendicular to two directions of i.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType revolute() {
  return {.name = "revolute",
          .description = "turns about an axis",
          .planar_rows = 2,
          .spatial_rows = 5,
          .keys = {"at", "axis@spatial"},
          .planar_coordinates = {JointCoordinate::angle},
          .spatial_coordinates = {JointCoordinate::angle},
          .tree_links = JointLinks{{JointLink::Kind::turn}},
          .shared = SharedElements::point_and_axis,
          .spatial_axis = JointAxis::along,
          .turning_pair = true,
          .planar_weaker = {{"point_on_line", WeakerType::Axis::undetermined_force}},
          .spatial_weaker = {{"cylindrical"},
                             {"universal", WeakerType::Axis::second_across},
                             {"spherical"},
                             {"point_on_line"},
                             {"point_on_plane"},
                             {"point_on_plane", WeakerType::Axis::across}},
          .building_effort = 1,
          .measure = [](const Joint& joint, RowBuilder& builder) { builder.measure_angle(joint); },
          .build =
              [](const Joint& joint, RowBuilder& builder) {
                builder.coincide(builder.point(joint.i, joint.at_i), builder.point(joint.j, joint.at_j));
                if (!builder.planar()) builder.axes_parallel(joint);
              }};
}

}  // namespace bricard::joint_kinds

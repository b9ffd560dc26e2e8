// Prismatic joint: no relative rotation, and the point of j stays on the axis of i.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType prismatic() {
  return {.name = "prismatic",
          .description = "slides along an axis",
          .planar_rows = 2,
          .spatial_rows = 5,
          .keys = {"at", "axis"},
          .planar_coordinates = {JointCoordinate::position},
          .spatial_coordinates = {JointCoordinate::position},
          .tree_links = JointLinks{{JointLink::Kind::slide}},
          .planar_axis = JointAxis::along,
          .spatial_axis = JointAxis::along,
          .planar_weaker = {{"point_on_line"}},
          .spatial_weaker = {{"cylindrical"},
                             {"planar", WeakerType::Axis::across},
                             {"point_on_line"},
                             {"point_on_plane", WeakerType::Axis::across}},
          .building_effort = 2,
          .measure = [](const Joint& joint, RowBuilder& builder) { builder.measure_position(joint); },
          .build =
              [](const Joint& joint, RowBuilder& builder) {
                if (builder.planar()) {
                  const int normal = builder.vector(joint.i, Vec3::UnitZ().cross(joint.axis_i));
                  builder.dot(normal, builder.vector(joint.j, joint.axis_j), "no rotation");
                  builder.along(normal, builder.point(joint.i, joint.at_i), builder.point(joint.j, joint.at_j),
                                "across axis");
                  return;
                }
                builder.axes_parallel(joint);
                builder.no_twist(joint);
                builder.on_axis(joint);
              }};
}

}  // namespace bricard::joint_kinds

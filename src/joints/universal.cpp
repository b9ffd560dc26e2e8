// Universal (Hooke, Cardan) joint: the points coincide, an axis of i and an axis of j stay perpendicular.
// angle: of the cross about the axis on i; angle2: of j about its own axis relative to the cross.
#include <cmath>

#include "joints/row_builder.h"

namespace bricard::joint_kinds {

namespace {

// Perpendicular in every position; axes written by hand are so up to rounding.
std::vector<JointProblem> check_axes(const Joint& joint, Dimension, const std::set<std::string>& given) {
  if (!given.contains("axes") || !(std::abs(joint.axis_i.dot(joint.axis_j)) > 1e-3)) return {};
  return {{"axes", "the two axes of a universal joint must be perpendicular"}};
}

}  // namespace

JointType universal() {
  return {
      .name = "universal",
      .description = "Hooke joint with one axis on each body",
      .spatial_rows = 4,
      .keys = {"at", "axes"},
      .spatial_coordinates = {JointCoordinate::angle, JointCoordinate::angle},
      .tree_links = JointLinks{{JointLink::Kind::turn}, {JointLink::Kind::turn, JointLink::Along::far_axis}},
      .shared = SharedElements::point_and_two_axes,
      .spatial_axis = JointAxis::two,
      .spatial_weaker = {{"spherical"},
                         {"point_on_line", WeakerType::Axis::world},
                         {"point_on_plane", WeakerType::Axis::world}},
      .building_effort = 2,
      .check = check_axes,
      .measure =
          [](const Joint& joint, RowBuilder& builder) {
            const int axis_i = builder.vector(joint.i, joint.axis_i), axis_j = builder.vector(joint.j, joint.axis_j);
            // The arm of the cross along axis_j, seen from i.
            builder.measure(builder.signals().angle(builder.vector(joint.i, joint.axis_j),
                                                    builder.vector(joint.i, joint.axis_i.cross(joint.axis_j)), axis_j));
            // The arm along axis_i, seen from j, turns the other way.
            builder.measure(builder.signals().angle(builder.vector(joint.j, joint.axis_i),
                                                    builder.vector(joint.j, joint.axis_j.cross(joint.axis_i)), axis_i,
                                                    -1));
          },
      .build =
          [](const Joint& joint, RowBuilder& builder) {
            builder.coincide(builder.point(joint.i, joint.at_i), builder.point(joint.j, joint.at_j));
            builder.dot(builder.vector(joint.i, joint.axis_i), builder.vector(joint.j, joint.axis_j),
                        "axes perpendicular");
          }};
}

}  // namespace bricard::joint_kinds

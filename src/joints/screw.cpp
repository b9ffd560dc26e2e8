// Screw joint: cylindrical, with position = pitch * angle / 2 pi.
#include <numbers>

#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType screw() {
  return {.name = "screw",
          .description = "advances by its pitch for each turn",
          .spatial_rows = 5,
          .general_rows = true,
          .keys = {"at", "axis", "pitch"},
          .spatial_coordinates = {JointCoordinate::angle},
          .tree_links = JointLinks{{JointLink::Kind::screw}},
          .spatial_axis = JointAxis::along,
          .spatial_weaker = {{"cylindrical"}, {"point_on_line"}},
          .measure = [](const Joint& joint, RowBuilder& builder) { builder.measure_angle(joint); },
          .build =
              [](const Joint& joint, RowBuilder& builder) {
                builder.axes_parallel(joint);
                builder.on_axis(joint);
                const int position =
                    builder.signals().along(builder.vector(joint.i, joint.axis_i), builder.point(joint.i, joint.at_i),
                                            builder.point(joint.j, joint.at_j), 0);
                builder.combination({{position, 1}, {builder.own_coordinate(0), -joint.pitch / (2 * std::numbers::pi)}},
                                    Expression(0), "advance");
              }};
}

}  // namespace bricard::joint_kinds

// Fixed joint: the points coincide and there is no relative rotation.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType fixed() {
  return {.name = "fixed",
          .description = "no relative motion",
          .planar_rows = 3,
          .spatial_rows = 6,
          .keys = {"at"},
          .tree_links = JointLinks{},
          .planar_weaker = {{"revolute"}, {"prismatic", WeakerType::Axis::world}},
          .spatial_weaker = {{"revolute", WeakerType::Axis::world},
                             {"prismatic", WeakerType::Axis::world},
                             {"cylindrical", WeakerType::Axis::world},
                             {"spherical"},
                             {"point_on_line", WeakerType::Axis::world},
                             {"point_on_plane", WeakerType::Axis::world}},
          .build = [](const Joint& joint, RowBuilder& builder) {
            builder.coincide(builder.point(joint.i, joint.at_i), builder.point(joint.j, joint.at_j));
            if (builder.planar()) {
              builder.dot(builder.vector(joint.i, Vec3::UnitY()), builder.vector(joint.j, Vec3::UnitX()),
                          "no rotation");
              return;
            }
            builder.axes_parallel(joint);
            builder.no_twist(joint);
          }};
}

}  // namespace bricard::joint_kinds

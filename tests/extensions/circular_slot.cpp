// A joint: a pin of body j in a circular slot of body i. The pin keeps its distance from the slot's centre, and in
// space it stays in the plane of the slot.
#include <bricard/extend.h>
#include <joints/row_builder.h>

namespace {

using namespace bricard;

JointType circular_slot() {
  return {.name = "circular_slot",
          .description = "a pin in a circular slot; `at`: the centre of the slot, then the pin",
          .planar_rows = 1,
          .spatial_rows = 2,
          .keys = {"at2", "axis@spatial"},
          .build = [](const Joint& joint, RowBuilder& builder) {
            const int center = builder.point(joint.i, joint.at_i), pin = builder.point(joint.j, joint.at_j);
            builder.distance(center, pin, (joint.at_j - joint.at_i).norm());
            if (builder.planar()) return;
            const double height = joint.axis_i.dot(joint.at_j - joint.at_i);
            builder.along(builder.vector(joint.i, joint.axis_i), center, pin, "height", height);
          }};
}

[[maybe_unused]] const bool registered = (register_joint(circular_slot()), true);

}  // namespace

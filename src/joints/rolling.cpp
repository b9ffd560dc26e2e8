// Rolling of a disc of j without slip: on a line of i (planar) or, as a knife-edge disc, on a plane of i (spatial).
// Planar, n from the line to the disc, e along the line:  n.(C - O) = R,  e.(C - C_0) = (e . z x n) R angle.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

namespace {

std::vector<JointProblem> check_rolling(const Joint& joint, Dimension dimension, const std::set<std::string>& given) {
  if (!given.contains("surface") || !given.contains("bodies") || (joint.i == ground && joint.j == ground)) return {};
  if (joint.j == ground && !given.contains("at"))
    return {{"", "the disc is of the second body; the ground has no centre of mass, so give 'at'"}};
  std::vector<JointProblem> problems;
  const bool planar = dimension == Dimension::planar;
  const Vec3& direction = joint.surface_direction;
  const Vec3 normal = planar ? Vec3(Vec3::UnitZ().cross(direction)) : direction;
  if (normal.dot(joint.at_j - joint.surface_at) == 0)
    problems.push_back({"surface", "the centre of the disc must not lie on what it rolls on"});
  if (!planar && joint.axis_j.cross(normal).norm() < 1e-9)
    problems.push_back({"", "the disc lies flat on the plane, so it has no point of contact"});
  return problems;
}

}  // namespace

JointType rolling() {
  return {.name = "rolling",
          .description = "a disc of j rolls without slip on a line or plane of i",
          .planar_rows = 2,
          .spatial_rows = 3,
          .spatial_velocity_rows = 2,
          .general_rows = true,
          .keys = {"at?", "axis@spatial", "radius", "surface"},
          .rolls = true,
          .check = check_rolling,
          .build = [](const Joint& joint, RowBuilder& builder) {
            const int center = builder.point(joint.j, joint.at_j), origin = builder.point(joint.i, joint.surface_at);
            const Vec3 height = joint.at_j - joint.surface_at;
            if (builder.planar()) {
              const Vec3& e = joint.surface_direction;
              Vec3 n = Vec3::UnitZ().cross(e);
              if (n.dot(height) < 0) n = -n;
              const int normal = builder.vector(joint.i, n);
              builder.along(normal, origin, center, "contact", joint.radius);
              const int advance = builder.signals().along(builder.vector(joint.i, e), origin, center, e.dot(height));
              const int turn = builder.signals().angle(builder.vector(joint.i, Vec3::UnitX()),
                                                       builder.vector(joint.i, Vec3::UnitY()),
                                                       builder.vector(joint.j, Vec3::UnitX()));
              builder.combination({{advance, 1}, {turn, -e.dot(Vec3::UnitZ().cross(n)) * joint.radius}}, Expression(0),
                                  "roll");
              return builder.reaction_at({.marker = center, .vector = normal, .distance = -joint.radius});
            }
            const AxisFrame frame(joint.surface_direction.dot(height) < 0 ? Vec3(-joint.surface_direction)
                                                                          : joint.surface_direction);
            builder.rolling({.row = 0,
                             .center = center,
                             .axis = builder.vector(joint.j, joint.axis_j),
                             .spin = builder.rotation(joint.j),
                             .origin = origin,
                             .normal = builder.vector(joint.i, frame.axis),
                             .tangent1 = builder.vector(joint.i, frame.first),
                             .tangent2 = builder.vector(joint.i, frame.second),
                             .base = builder.rotation(joint.i),
                             .radius = joint.radius,
                             .entry = 0,
                             .contact = Vec3::Zero()});
          }};
}

}  // namespace bricard::joint_kinds

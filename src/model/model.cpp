#include "bricard/model.h"

#include <Eigen/Geometry>
#include <cassert>

#include "model/joint_type.h"

namespace bricard {
namespace {

/// Joints that are nowhere have an `at` without meaning, which must not stretch the model to the origin.
bool has_place(const Joint& joint) {
  const JointType* const type = find_joint_type(joint.type);
  return !type || type->has_key("at") || type->has_key("at2");
}

}  // namespace

const std::string& Model::body_name(int body) const {
  static const std::string name_of_ground = "ground";
  if (body == ground) return name_of_ground;
  assert(body >= 0 && body < static_cast<int>(bodies.size()));
  return bodies[static_cast<std::size_t>(body)].name;
}

double Model::characteristic_length() const {
  Eigen::AlignedBox3d box;
  for (const auto& [point, place] : points) box.extend(place);
  for (const Body& body : bodies) box.extend(body.center);
  for (const Joint& joint : joints) {
    if (!has_place(joint)) continue;
    box.extend(joint.at_i);
    box.extend(joint.at_j);
  }
  const double half_diagonal = box.isEmpty() ? 0 : box.diagonal().norm() / 2;
  return half_diagonal > 0 ? half_diagonal : 1;
}

}  // namespace bricard

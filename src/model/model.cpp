#include "bricard/model.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cassert>
#include <string_view>

namespace bricard {
namespace {

/// Joints of these types are nowhere: their `at` has no meaning and must not stretch the model to the origin.
bool has_place(const Joint& joint) {
  constexpr std::string_view placeless[] = {"gear",        "gear_pair",     "constraint",
                                            "orientation", "parallel_axes", "perpendicular_axes"};
  return std::find(std::begin(placeless), std::end(placeless), joint.type) == std::end(placeless);
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

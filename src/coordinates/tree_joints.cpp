#include "coordinates/tree_joints.h"

#include <numbers>

#include "coordinates/rotation_algebra.h"

namespace bricard {
namespace {
using Kind = ElementaryLink::Kind;
}

std::optional<std::vector<ElementaryLink>> tree_links(const Model& model, const Joint& joint, bool from_j_to_i) {
  const Vec3 at = joint.at_j;
  const Vec3 axis = model.planar() && joint.type == "revolute" ? Vec3(Vec3::UnitZ()) : joint.axis_i;
  std::vector<ElementaryLink> links;
  const auto turn = [&](const Vec3& direction) { links.push_back({Kind::turn, at, direction}); };
  const auto slide = [&](const Vec3& direction) { links.push_back({Kind::slide, at, direction}); };

  if (joint.type == "fixed") return links;
  if (joint.type == "revolute") {
    turn(axis);
  } else if (joint.type == "prismatic") {
    slide(axis);
  } else if (joint.type == "cylindrical") {
    slide(axis);
    turn(axis);
  } else if (joint.type == "screw") {
    links.push_back({Kind::screw, at, axis, joint.pitch / (2 * std::numbers::pi)});
  } else if (joint.type == "universal") {
    turn(from_j_to_i ? joint.axis_j : joint.axis_i);
    turn(from_j_to_i ? joint.axis_i : joint.axis_j);
  } else if (joint.type == "spherical") {
    links.push_back({Kind::ball, at});
  } else if (joint.type == "planar") {
    const Vec3 first = any_perpendicular(axis);
    slide(first);
    slide(axis.cross(first));
    turn(axis);
  } else {
    return std::nullopt;
  }
  return links;
}

std::vector<ElementaryLink> floating_links(const Model& model, const Body& body) {
  std::vector<ElementaryLink> links;
  links.reserve(4);
  for (int c = 0; c < (model.planar() ? 2 : 3); ++c) links.push_back({Kind::slide, body.center, Vec3::Unit(c)});
  links.push_back({model.planar() ? Kind::turn : Kind::ball, body.center});
  return links;
}

int freedoms(const std::vector<ElementaryLink>& links) {
  int sum = 0;
  for (const ElementaryLink& link : links) sum += link.velocities();
  return sum;
}

}  // namespace bricard

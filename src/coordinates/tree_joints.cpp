#include "coordinates/tree_joints.h"

#include <numbers>

#include "coordinates/rotation_algebra.h"

namespace bricard {
namespace {
using Kind = ElementaryLink::Kind;
}

std::optional<std::vector<ElementaryLink>> tree_links(const Model& model, const Joint& joint, bool from_j_to_i) {
  const std::optional<JointLinks>& chain = type_of(joint).tree_links;
  if (!chain) return std::nullopt;
  const Vec3 &axis = from_j_to_i ? joint.axis_j : joint.axis_i, &far_axis = from_j_to_i ? joint.axis_i : joint.axis_j;
  const auto direction = [&](const JointLink& link) -> Vec3 {
    if (model.planar() && link.kind == Kind::turn) return Vec3::UnitZ();
    const auto across = [&] { return model.planar() ? Vec3(Vec3::UnitZ().cross(axis)) : any_perpendicular(axis); };
    switch (link.along) {
      case JointLink::Along::axis: return axis;
      case JointLink::Along::far_axis: return far_axis;
      case JointLink::Along::across: return across();
      case JointLink::Along::across_both: return axis.cross(across());
    }
    return axis;
  };
  std::vector<ElementaryLink> links;
  for (const JointLink& link : *chain) {
    const double advance = link.kind == Kind::screw ? joint.pitch / (2 * std::numbers::pi) : 0;
    links.push_back({link.kind, joint.at_j, direction(link), advance});
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

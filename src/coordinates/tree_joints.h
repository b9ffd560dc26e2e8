// What a joint of a tree lets the child body do relative to its parent: a short chain of elementary links, each of
// which turns about, slides along or screws about an axis, or turns freely about a point.      [Jalon-Bayo section 5.3]
// All places and axes are those of the reference configuration, in the world frame.
#pragma once

#include <optional>
#include <vector>

#include "model/joint_type.h"

namespace bricard {

struct ElementaryLink {
  using Kind = JointLink::Kind;
  Kind kind = Kind::turn;
  Vec3 place = Vec3::Zero();       // a point of the axis, or the centre
  Vec3 direction = Vec3::UnitZ();  // of the axis, fixed to the link before
  double advance = 0;              // screw: m per radian

  int positions() const { return kind == Kind::ball ? 4 : 1; }
  int velocities() const { return kind == Kind::ball ? 3 : 1; }
};

/// The links of a joint from one body to the other, or nothing if the joint cannot be part of a tree.
std::optional<std::vector<ElementaryLink>> tree_links(const Model& model, const Joint& joint, bool from_j_to_i);

/// The links of a body that floats: displacements along the world's axes, then rotation about its centre of mass.
std::vector<ElementaryLink> floating_links(const Model& model, const Body& body);

/// Velocity coordinates of a chain of links.
int freedoms(const std::vector<ElementaryLink>& links);

}  // namespace bricard

#include "analyses/reactions/tree_reactions.h"

#include "coordinates/relative.h"

namespace bricard {

bool TreeReactions::suits(const System& system, bool regular) {
  if (!system.coordinates().spanning_tree() || !system.friction().empty()) return false;
  if (system.row_count() == 0) return true;
  const auto& joints = system.model().joints;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const auto [first, last] = system.reactions().rows_of_joint(static_cast<int>(k));
    if (first < last && !system.reactions().has_reaction(static_cast<int>(k))) return false;
  }
  return regular && system.model().motions.empty();
}

TreeReactions::TreeReactions(const System& system)
    : body_beyond_(system.model().joints.size(), ground),
      force_(system.model().bodies.size()),
      moment_(system.model().bodies.size()) {
  for (const TreeEdge& edge : system.coordinates().spanning_tree()->edges) {
    if (edge.joint >= 0) body_beyond_[edge.joint] = edge.body;
  }
}

void TreeReactions::add_load(const System& system, const Load& load) {
  const Marker& marker = system.markers().list[load.marker];
  if (marker.body == ground) return;
  const Vec3& value = system.markers().value[load.marker];
  switch (marker.kind) {
    case MarkerKind::point:
      force_[marker.body] -= load.value;
      moment_[marker.body] -= (value - system.coordinates().center(marker.body)).cross(load.value);
      break;
    case MarkerKind::vector: moment_[marker.body] -= value.cross(load.value); break;
    case MarkerKind::rotation: moment_[marker.body] -= load.value; break;
  }
}

void TreeReactions::find(System& system, ConstVector q, ConstVector v, ConstVector vdot, ConstVector lambda) {
  lambda_ = lambda;
  system.body_accelerations(q, v, vdot, force_, moment_);
  const Model& model = system.model();
  const Coordinates& coordinates = system.coordinates();
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    const Mat3 A = coordinates.frame(b);
    const Vec3 &omega = system.angular_velocity(b), spin = A * (body.inertia * (A.transpose() * omega));
    force_[b] = body.mass * (force_[b] - model.gravity);
    moment_[b] = A * (body.inertia * (A.transpose() * moment_[b])) + omega.cross(spin);
  }
  for (const Load& load : system.loads()) add_load(system, load);
  for (std::size_t k = 0; k < model.joints.size() && system.row_count() > 0; ++k) {
    const auto [first, last] = system.reactions().rows_of_joint(static_cast<int>(k));
    if (first == last) continue;
    // What i exerts on j, and back.
    const Reaction reaction = system.reaction(static_cast<int>(k), lambda_);
    const auto add = [&](int b, double sign) {
      if (b == ground) return;
      const Vec3 lever = reaction.place - coordinates.center(b);
      force_[b] -= sign * reaction.force;
      moment_[b] -= sign * (reaction.moment + lever.cross(reaction.force));
    };
    add(model.joints[k].j, 1);
    add(model.joints[k].i, -1);
  }
  const auto& edges = coordinates.spanning_tree()->edges;
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    if (edge->parent == ground) continue;
    const Vec3 lever = coordinates.center(edge->body) - coordinates.center(edge->parent);
    force_[edge->parent] += force_[edge->body];
    moment_[edge->parent] += moment_[edge->body] + lever.cross(force_[edge->body]);
  }
}

Reaction TreeReactions::of_joint(const System& system, int joint) const {
  const int body = body_beyond_[joint];
  if (body == ground) return system.reaction(joint, lambda_);
  Reaction reaction = system.reaction(joint, Vector());  // its place
  const Vec3 lever = system.coordinates().center(body) - reaction.place;
  const double sign = system.model().joints[joint].j == body ? 1 : -1;  // what i exerts on j
  reaction.force = sign * force_[body];
  reaction.moment = sign * (moment_[body] + lever.cross(force_[body]));
  return reaction;
}

}  // namespace bricard

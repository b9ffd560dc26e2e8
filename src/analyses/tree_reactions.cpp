#include "analyses/tree_reactions.h"

#include "coordinates/relative.h"

namespace bricard {

bool TreeReactions::suits(const System& system) {
  return dynamic_cast<const RelativeCoordinates*>(&system.coordinates()) && system.row_count() == 0 &&
         system.friction().empty();
}

TreeReactions::TreeReactions(const System& system)
    : body_beyond_(system.model().joints.size(), ground),
      force_(system.model().bodies.size()),
      moment_(system.model().bodies.size()) {
  for (const TreeEdge& edge : dynamic_cast<const RelativeCoordinates&>(system.coordinates()).tree().edges) {
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

void TreeReactions::find(System& system, ConstVector q, ConstVector v, ConstVector vdot) {
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
  const auto& edges = dynamic_cast<const RelativeCoordinates&>(coordinates).tree().edges;
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    if (edge->parent == ground) continue;
    const Vec3 lever = coordinates.center(edge->body) - coordinates.center(edge->parent);
    force_[edge->parent] += force_[edge->body];
    moment_[edge->parent] += moment_[edge->body] + lever.cross(force_[edge->body]);
  }
}

Reaction TreeReactions::of_joint(const System& system, int joint) const {
  const int body = body_beyond_[joint];
  Reaction reaction = system.reaction(joint, Vector());  // its place
  const Vec3 lever = system.coordinates().center(body) - reaction.place;
  const double sign = system.model().joints[joint].j == body ? 1 : -1;  // what i exerts on j
  reaction.force = sign * force_[body];
  reaction.moment = sign * (moment_[body] + lever.cross(force_[body]));
  return reaction;
}

}  // namespace bricard

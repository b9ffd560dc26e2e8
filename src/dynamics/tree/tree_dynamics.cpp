#include "dynamics/tree/tree_dynamics.h"

namespace bricard {

void RigidGroup::add(const Body& body) {
  const Vec3 s = body.center - place;
  const Mat3 A = body.orientation.toRotationMatrix();
  mass += body.mass;
  first_moment += body.mass * s;
  J += A * body.inertia * A.transpose() + body.mass * (s.squaredNorm() * Mat3::Identity() - s * s.transpose());
}

TreeLinks::TreeLinks(const Model& model, const SpanningTree& tree) : list(1), link_of_body(model.bodies.size()) {
  for (const TreeEdge& edge : tree.edges) {
    int last = edge.parent == ground ? 0 : link_of_body[edge.parent];
    for (const ElementaryLink& link : edge.links) {
      list.push_back({link, last, {}});
      list.back().bodies.place = link.place;
      last = static_cast<int>(list.size()) - 1;
    }
    link_of_body[edge.body] = last;
    list[last].bodies.add(model.bodies[edge.body]);
  }
}

}  // namespace bricard

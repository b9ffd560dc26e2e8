#include "dynamics/tree/tree_turns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "coordinates/spanning_tree.h"
#include "model/joint_type.h"

namespace bricard {

TreeTurns::TreeTurns(System& system, ConstVector q, ConstVector v) : system_(system) {
  if (system.markers().counts_turns) return;  // the coordinates do it
  system.evaluate_signals(0, q, v);
  const Model& model = system.model();
  int position = 0, velocity = 0;
  for (const TreeEdge& edge : system.coordinates().spanning_tree()->edges) {
    std::vector<std::pair<int, int>> places;  // positions and velocities of the links that turn about an axis
    for (const ElementaryLink& link : edge.links) {
      if (link.kind == ElementaryLink::Kind::turn || link.kind == ElementaryLink::Kind::screw)
        places.emplace_back(position, velocity);
      position += link.positions();
      velocity += link.velocities();
    }
    if (edge.joint < 0) continue;
    // From j to i everything turns the other way, and in the opposite order.
    const Joint& joint = model.joints[edge.joint];
    const bool reversed = edge.body == joint.i;
    if (reversed) std::reverse(places.begin(), places.end());
    const auto& coordinates = find_joint_type(joint.type)->coordinates(model.dimension);
    std::size_t turn = 0;
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      if (coordinates[c] != JointCoordinate::angle) continue;
      const auto [at, rate] = places[turn++];
      const double sign = reversed ? -1 : 1, full = 2 * std::numbers::pi;
      const double angle = system.signals()[system.joint_coordinates()[edge.joint][c]].value;
      turns_.push_back(
          {edge.joint, static_cast<int>(c), at, rate, sign, full * std::round((angle - sign * q[at]) / full)});
    }
  }
}

void TreeTurns::set(double t, ConstVector q, ConstVector v) {
  for (const Turn& turn : turns_)
    system_.set_turn(turn.joint, turn.coordinate, turn.sign * q[turn.position] + turn.offset, t,
                     turn.sign * v[turn.velocity]);
}

}  // namespace bricard

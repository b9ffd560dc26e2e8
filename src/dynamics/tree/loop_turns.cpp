#include "dynamics/tree/loop_turns.h"

#include "system/system.h"

namespace bricard {

LoopTurns::LoopTurns(System& system, TreeDynamics& tree) : system_(system), tree_(tree) {
  if (system.markers().counts_turns) return;  // the coordinates do it
  const Model& model = system.model();
  const SpanningTree& spanning = *system.coordinates().spanning_tree();
  const TreeLinks links(model, spanning);
  Vector reference(system.position_size());
  system.coordinates().reference(reference);
  tree.place(reference.data());
  for (std::size_t joint = 0; joint < spanning.in_tree.size(); ++joint) {
    if (spanning.in_tree[joint]) continue;
    for (const int signal : system.joint_coordinates()[joint]) {
      if (!system.signals().is_angle(signal)) continue;
      Angle angle{.signal = signal, .directions = {}};
      for (std::size_t k = 0; k < angle.directions.size(); ++k) {
        const Marker& marker = system.markers().list[system.signals().markers_of(signal)[k]];
        const bool moves = marker.body != ground;
        const int link = moves ? links.link_of_body[marker.body] : 0;
        const Vec3 in_world = moves ? Vec3(model.bodies[marker.body].orientation * marker.local) : marker.local;
        angle.directions[k] = {link, tree.motion_of(link).frame.transpose() * in_world};
      }
      angles_.push_back(angle);
    }
  }
}

bool LoopTurns::count(double t) {
  for (const Angle& angle : angles_) {
    std::array<Vec3, 3> values, rates;
    for (std::size_t k = 0; k < 3; ++k) {
      const LinkMotion link = tree_.motion_of(angle.directions[k].link);
      values[k] = link.frame * angle.directions[k].local;
      rates[k] = link.omega.cross(values[k]);
    }
    if (!system_.count_turn(angle.signal, t, values, rates)) return false;
  }
  return true;
}

}  // namespace bricard

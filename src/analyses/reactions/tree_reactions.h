// Joint reactions of a tree from the bodies' accelerations, from the leaves to the ground: what a joint exerts on the
// body beyond it moves that body and holds everything further out,
//   f_b = m_b a_b - F_b + sum f_k,   n_b = J_b alpha_b + omega x J_b omega - N_b + sum (n_k + (c_k - c_b) x f_k)
// about the centres c, over the bodies k that b carries; F, N: weight, force elements, and joints that close loops, of
// which the multipliers are known. The rows of the tree's joints are not needed, which BodyCompanion is for.
// [Featherstone 2008, section 5.3]
#pragma once

#include <vector>

#include "system/system.h"

namespace bricard {

class TreeReactions {
 public:
  /// True if the coordinates are those of a tree whose joints transmit everything that is not weight or force element:
  /// no friction, and no rows but those of joints, of which `regular` says that all have unique multipliers.
  static bool suits(const System& system, bool regular);
  explicit TreeReactions(const System& system);

  /// At the state at which the system was evaluated last, forces included.
  void find(System& system, ConstVector q, ConstVector v, ConstVector vdot, ConstVector lambda);
  Reaction of_joint(const System& system, int joint) const;

 private:
  void add_load(const System& system, const Load& load);

  std::vector<int> body_beyond_;  // of each joint; the ground for those that close loops
  Vector lambda_;
  std::vector<Vec3> force_, moment_;  // on each body by the joint that carries it, about the centre
};

}  // namespace bricard

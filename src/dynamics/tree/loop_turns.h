// Full turns of joints that close loops on a tree: their angles are no coordinates, and are known but for turns unless
// they are followed from step to step. Here from the motion of the links that they join, without the rest of the
// System.
#pragma once

#include <array>
#include <vector>

#include "dynamics/tree/tree_dynamics.h"

namespace bricard {

class System;

class LoopTurns {
 public:
  /// `tree` of the system's coordinates, which it moves to the reference configuration.
  LoopTurns(System& system, TreeDynamics& tree);
  /// After the tree has been moved to an accepted state. False if an angle may have made more turns since the last one
  /// than can be told.
  bool count(double t);

 private:
  struct Direction {
    int link = 0;
    Vec3 local;  // in the frame of the link
  };
  struct Angle {
    int signal;
    std::array<Direction, 3> directions;  // as Signals::angle() has them
  };
  System& system_;
  TreeDynamics& tree_;
  std::vector<Angle> angles_;
};

}  // namespace bricard

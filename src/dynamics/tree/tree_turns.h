// Full turns of the joints of a tree: their angles are position coordinates, so that turns need not be counted from
// step to step.
#pragma once

#include <vector>

#include "system/system.h"

namespace bricard {

class TreeTurns {
 public:
  /// Starts at (q, v), where the System knows on which turns its joints are.
  TreeTurns(System& system, ConstVector q, ConstVector v);
  /// Tells the System, for who evaluates it next.
  void set(double t, ConstVector q, ConstVector v);

 private:
  struct Turn {
    int joint, coordinate;  // of the model
    int position, velocity;
    double sign, offset;
  };
  System& system_;
  std::vector<Turn> turns_;
};

}  // namespace bricard

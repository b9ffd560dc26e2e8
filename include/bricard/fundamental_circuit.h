// The circuit of turning pairs that a gear pair closes.
#pragma once

#include <string>
#include <vector>

#include "bricard/types.h"

namespace bricard {

/// An angle of a joint with the sign by which it counts.
struct TurningStep {
  int joint = -1;
  double sign = 1;
};

struct FundamentalCircuit {
  int joint = -1;  // the gear pair
  int gear_i = ground, gear_j = ground;
  int carrier = ground;          // transfer vertex
  double ratio = 1;              // of the speeds of i and j relative to the carrier, about axis_i and axis_j
  std::string level_i, level_j;  // of the turning pairs on both sides of the carrier: a, b, c, ...
  Vec3 axis_i = Vec3::UnitZ(), axis_j = Vec3::UnitZ();  // reference configuration
  bool parallel = true;                                 // then both axes have one direction; else bevel gears
  std::vector<TurningStep> path_i, path_j;              // from the carrier to each gear
};

}  // namespace bricard

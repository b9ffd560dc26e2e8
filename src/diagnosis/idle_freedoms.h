// Freedoms that belong to one body alone: idle spins, such as that of a rod between two balls about its own line, and
// directions without inertia, which make M singular.
#pragma once

#include <string>
#include <vector>

#include "system/system.h"

namespace bricard {

/// A body, or several fixed to each other, may turn about an axis through its centre of mass without moving anything,
/// and no joint is there to let it turn so.
struct IdleSpin {
  std::vector<std::string> bodies;
  Vec3 axis = Vec3::Zero();
  std::string words;
};
/// The system (reference-point coordinates) evaluated with `equations`.
std::vector<IdleSpin> find_idle_spins(const System& system, const Equations& equations);

struct InertiaFree {
  std::string body;
  bool no_mass = false;
  Eigen::Matrix<double, 3, Eigen::Dynamic> axes;  // without a moment of inertia, world axes
  bool moves_freely = false;                      // no constraint holds it either: its acceleration is undetermined
  std::string words = {};
};
std::vector<InertiaFree> find_inertia_free(const System& system, const Equations& equations);

}  // namespace bricard

// What a mechanism is made of: counts, rank, redundancy, uniqueness of reactions, singular masses, at one state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "system/system.h"

namespace bricard {

struct RedundantRow {
  std::string joint;     // joint, motion or body
  std::string equation;  // name of the row
};

struct Structure {
  int coordinates = 0;  // velocity coordinates
  int positions = 0;    // position coordinates
  int constraints = 0;  // rows, velocity-level ones included
  int velocity_constraints = 0;
  int rank = 0;
  int degrees_of_freedom = 0;
  std::vector<RedundantRow> redundant;  // rows that the others imply (which ones of a dependent group is arbitrary)
  /// joint -> component (fx .. mz, effort) -> unique?
  std::vector<std::pair<std::string, std::vector<std::pair<std::string, bool>>>> reactions;
  bool mass_is_singular = false;
  bool accelerations_are_unique = true;  // [M; P] has full column rank
  std::vector<std::string> massless;     // bodies without mass or without some moment of inertia
};

Structure analyze_structure(System& system, ConstVector q, ConstVector v);

/// Names of the columns of a joint's reaction: fx fy fz mx my mz, planar fx fy mz, effort(s) for types without bodies.
std::vector<std::string> reaction_components(const System& system, int joint);
/// Their values from multipliers, and from a reaction already found.
void reaction_values(const System& system, int joint, ConstVector lambda, double* values);
void reaction_values(const System& system, const Reaction& reaction, double* values);

}  // namespace bricard

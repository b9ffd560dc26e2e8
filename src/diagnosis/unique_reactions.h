// Which reactions the equations of motion determine, and which are a convention: a quantity is unique if no state of
// self-stress changes it.                                                     [Wojtyra 2005; Fraczek, Wojtyra 2011]
#pragma once

#include <string>
#include <vector>

#include "diagnosis/self_stress.h"

namespace bricard {

struct UniqueReaction {
  std::string joint;  // or motion
  bool unique = true;
  std::vector<std::pair<std::string, bool>> components;                // fx .. mz or effort, world axes
  Eigen::Matrix<double, 3, Eigen::Dynamic> free_forces, free_moments;  // directions that are not determined
  std::string words;  // "the force along crank2 is not unique, across it it is"; empty if all is unique
};

/// Of two bodies joined by several joints, what these joints exert together.
struct UniqueResultant {
  std::string body_i, body_j;
  std::vector<std::string> joints;
  bool unique = true;
};

std::vector<UniqueReaction> find_unique_reactions(const System& system, const SelfStress& stress);

/// Only pairs with several joints of which some are not unique.
std::vector<UniqueResultant> find_unique_resultants(const System& system, const SelfStress& stress);

}  // namespace bricard

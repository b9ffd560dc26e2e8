// Redundant constraints as dependent groups: joints and directions that carry a load together, so that only
// combinations of their reactions are determined. Nothing here depends on the order of the joints or on how the model
// is turned.
//   group: the self-stress space is a direct sum over groups, and no group can be split further. With N an orthonormal
//          basis of it, two blocks are in one group if N N^T joins them, directly or through others.
//   minimal group: a smallest set of blocks that can be in self-stress by themselves (a circuit).
#pragma once

#include <string>
#include <vector>

#include "diagnosis/self_stress.h"

namespace bricard {

/// What one joint contributes to a group.
struct SharedLoad {
  std::string joint;                                         // or motion
  Eigen::Matrix<double, 3, Eigen::Dynamic> forces, moments;  // orthonormal world directions
  bool effort = false;
  std::string words;  // "z force", "forces normal to its axis and moment about x"
};

struct MinimalGroup {
  std::vector<SharedLoad> loads;
  std::string sentence;
};

struct DependentGroup {
  int excess = 0;     // over-constrained by so many
  int only_here = 0;  // how many of these only at this position
  std::vector<SharedLoad> loads;
  std::vector<MinimalGroup> minimal;  // by size, then names
  bool all_minimal = true;            // false: there are more of them
  std::string sentence;

  /// " (at this position only)" or how many of them; empty if they are redundant everywhere.
  std::string here_only() const;
};

/// `beside`: the self-stress at a nearby assembled position, null if not known.
std::vector<DependentGroup> find_dependent_groups(const System& system, const SelfStress& stress,
                                                  const SelfStress* beside);

}  // namespace bricard

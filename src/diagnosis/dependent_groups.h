// Redundant constraints as dependent groups: joints and directions that carry a load together, so that only
// combinations of their reactions are determined. Nothing here depends on the order of the joints or on how the model
// is turned.
//   group: the self-stress space is a direct sum over groups, and no group can be split further. With N an orthonormal
//          basis of it, two blocks are in one group if N N^T joins them, directly or through others.
//   minimal group: a smallest set of blocks that can be in self-stress by themselves (a circuit).
#pragma once

#include <string>
#include <vector>

#include "bricard/diagnosis.h"
#include "diagnosis/self_stress.h"

namespace bricard {

/// `beside`: the self-stress at a nearby assembled position, null if not known.
std::vector<DependentGroup> find_dependent_groups(const System& system, const SelfStress& stress,
                                                  const SelfStress* beside);

}  // namespace bricard

// Motion of a tree with closed loops in its joint coordinates: the tree by recursion (tree_dynamics.h), the loops by
// multipliers that go through it (tree_loops.h), drift removed by projection in the metric of M. Time is linear in
// bodies where few loops share a link. Near singular positions by proximal refinement, as in GraphMotion.
#pragma once

#include "stabilization/tree_motion.h"

namespace bricard {

/// Why a system has no such motion; empty if it has. `redundant`: rows that depend on others everywhere.
std::string loop_motion_misfit(const System& system, int redundant);
/// `projection`: after each step. The rest as TreeMotion has it.
std::unique_ptr<MechanismMotion> create_loop_motion(System& system, std::unique_ptr<Formulation> formulation,
                                                    std::unique_ptr<Stabilization> stabilization, bool projection,
                                                    ConstVector q, ConstVector v);

}  // namespace bricard

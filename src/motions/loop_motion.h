// Motion of a tree with closed loops in its joint coordinates: the tree by recursion (tree_dynamics.h), the loops by
// multipliers that go through it (tree_loops.h), drift removed by feedback, or by projection in the metric of M. Time
// is linear in bodies where few loops share a link. Redundant rows and singular positions are treated as in
// GraphMotion.
#pragma once

#include "motions/tree_motion.h"

namespace bricard {

/// Why a system has no such motion; empty if it has.
std::string loop_motion_misfit(const System& system);
/// Formulation and stabilisation serve as TreeMotion has them; corrections are projections, whatever the stabilisation
/// would do. `redundant`: rows that depend on others everywhere.
std::unique_ptr<MechanismMotion> create_loop_motion(System& system, std::unique_ptr<Formulation> formulation,
                                                    std::unique_ptr<Stabilization> stabilization, int redundant,
                                                    ConstVector q, ConstVector v);

}  // namespace bricard

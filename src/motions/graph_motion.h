// Motion of bodies joined in a graph, in time linear in their number (see GraphDynamics): the equations of `lagrange`
// and `lagrange-proximal` for reference-point coordinates, with drift removed by projection or feedback.
//
// Redundant rows: S is singular. On the constraints, at the end of each step, elimination finds rows that depend on
// those before, and leaves them out until the end of the next: within a step, off the constraints, no row contradicts
// another, so that accelerations stay as smooth as the motion.
// Singular positions, and multipliers of redundant rows: (S + mu I) x_k+1 = b + mu x_k converges to the accelerations,
// with multipliers of least norm              [Jalon-Bayo (5.51) in dual form; Parikh, Boyd 2014, section 4.1].
#pragma once

#include <memory>
#include <string>

#include "dynamics/feedback.h"
#include "motions/mechanism_motion.h"

namespace bricard {

struct GraphMotionOptions {
  bool projection = true;     // after each step
  Feedback feedback = {};     // by rows of the system
  int redundant = 0;          // rows that depend on others everywhere
  bool within_steps = false;  // derivatives are those of the projected state
};

/// Why a system has no such motion; empty if it has. `redundant`: as in the options.
std::string graph_motion_misfit(const System& system, int redundant);
std::unique_ptr<MechanismMotion> create_graph_motion(System& system, const GraphMotionOptions& options);

}  // namespace bricard

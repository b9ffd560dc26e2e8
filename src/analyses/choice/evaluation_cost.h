// What one evaluation of the accelerations costs, in instructions, over the graph of the joints (engine bodies) and by
// recursion over a tree (engine tree), with what an explicit integrator does for each state. Fitted to
// counts by callgrind at 400 bodies, within a sixth and without the integrator: over the graph 300 (planar chain), 500
// (ladder of loops) and 2,220 (spatial chain of hinges) a body; by recursion 191 and 428 for open chains in the plane
// and in space, 490 for the ladder, 680 for a closed chain in space. Joints of other numbers of rows are extrapolated.
#pragma once

#include "bricard/model.h"

namespace bricard {

struct EvaluationCost {
  double graph = 0;
  double tree = 0;
};
EvaluationCost evaluation_cost(const Model& model);

}  // namespace bricard

// What one evaluation of the accelerations costs, in instructions, over the graph of the joints (GraphMotion) and by
// recursion over a tree (TreeMotion, LoopMotion). Fitted to counts by callgrind at 400 bodies, within a sixth: over the
// graph 565 (planar chain), 760 (ladder of loops) and 2,500 (spatial chain of hinges) a body; by recursion 191 and 428
// for open chains in the plane and in space, 547 for the ladder, 740 for a closed chain in space. Joints of other numbers
// of rows are extrapolated.
#pragma once

#include "model/model.h"

namespace bricard {

struct EvaluationCost {
  double graph = 0;
  double tree = 0;
};
EvaluationCost evaluation_cost(const Model& model);

}  // namespace bricard

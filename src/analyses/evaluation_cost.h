// What one evaluation of the accelerations costs, in instructions, over the graph of the joints (GraphMotion) and by
// recursion over a tree (TreeMotion, or `recursive` with the rows that close loops). Fitted to counts by callgrind at
// 400 bodies: planar chain 565 and ladder of loops 884, spatial chain of hinges 2,794 a body over the graph, within a
// sixth; trees 424 and 1,248. Joints of other numbers of rows are extrapolated.
#pragma once

#include "model/model.h"

namespace bricard {

struct EvaluationCost {
  double graph = 0;
  double tree = 0;
};
EvaluationCost evaluation_cost(const Model& model);

}  // namespace bricard

// What one evaluation of the accelerations costs, in instructions, over the graph of the joints (GraphMotion) and by
// recursion over a tree (TreeMotion, or `recursive` with the rows that close loops). Fitted to counts by callgrind of
// `make bench`; within about a fifth for chains, ladders and trees.
#pragma once

#include "model/model.h"

namespace bricard {

struct EvaluationCost {
  double graph = 0;
  double tree = 0;
};
EvaluationCost evaluation_cost(const Model& model);

}  // namespace bricard

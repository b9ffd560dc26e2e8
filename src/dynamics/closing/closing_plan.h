// In which order the dependent coordinates follow from the independent ones. Joints are known (the independent ones,
// driven ones, those of loops solved before); bodies that known joints connect are one. Then
//   a relation between joint coordinates with one unknown gives it;
//   a cycle with three unknown freedoms is a dyad if its joints all move in one plane, or turn about one point;
//   in space a rod with balls at its ends gives one unknown of the way between these; a ball gives three, if two of
//   them are a universal joint on the same link
// until nothing is unknown. What is left over has no closed form (a group of third class or more).
#pragma once

#include <array>

#include "dynamics/closing/loop_graph.h"

namespace bricard {

/// An edge on the way around a loop; `sign` -1: against it.
struct LoopStep {
  int edge = 0;
  double sign = 1;
};

struct ClosingStep {
  enum class Kind { relation, planar, spherical, rod, ball };
  Kind kind = Kind::relation;
  int index = -1;                  // of the relation, or of the pair of points
  int unknown = -1;                // of a relation: the edge
  std::vector<LoopStep> way = {};  // of a cycle: begins with an unknown one; of a pair: from one point to the other
  bool reversed = false;           // of a pair: from its second point to its first
  std::vector<int> unknowns = {};  // places on the way
  Vec3 axis = Vec3::UnitZ();       // normal of the plane
};

class ClosingPlan {
 public:
  ClosingPlan() = default;
  ClosingPlan(const LoopGraph& graph, const std::vector<int>& independent);

  bool ok() const { return problem.empty(); }
  std::vector<ClosingStep> steps;
  std::vector<std::string> left_over;  // names of joints
  std::string problem;                 // why the choice does not serve

 private:
  int cluster(int node) const;
  void learn(int edge, bool closes);
  bool take_relation();
  bool take_pair();
  bool take_cycle();
  /// Calls `take` with the unknown edges of every path between the bodies of two nodes that has so many of them, until
  /// it returns true.
  template <class Take>
  bool each_path(int from, int to, int count, std::vector<LoopStep>& path, const Take& take) const;
  std::vector<LoopStep> complete(int from, const std::vector<LoopStep>& unknown, int to) const;
  void append_known(int from, int to, std::vector<LoopStep>& way) const;
  bool classify(ClosingStep& step) const;
  void solve(ClosingStep step);
  void over_determine(const std::string& name);

  const LoopGraph* graph_ = nullptr;
  std::vector<bool> known_, relation_used_, pair_used_;
  std::vector<int> cluster_;  // of each node
};

}  // namespace bricard

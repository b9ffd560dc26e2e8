// The joints of a mechanism as a graph, all of them: those of the tree, whose coordinates are q, and those that close
// loops. Nodes are bodies, and what lies between the parts of a joint of several freedoms; an edge turns or slides.
//   a pin in a slot slides, then turns;   in the plane a massless rod turns at both ends
//   in space a rod and a ball are no edges: they say something of two points
// Beside them linear relations between joint coordinates: drives, gears, gear pairs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "coordinates/tree_joints.h"
#include "system/system.h"

namespace bricard {

struct LoopEdge {
  int from = 0, to = 0;  // nodes
  bool slides = false;
  Vec3 at_from, at_to, direction;  // in the reference configurations of the two; of the axis, in both
  int coordinate = -1;             // of the system; -1: the joint closes a loop
  int signal = -1;                 // that measures it, if there is one; with this sign
  double signal_sign = 1;
  std::string name;  // of the joint
};

/// sum factor x_edge = law(t)
struct LoopRelation {
  std::vector<std::pair<int, double>> terms;
  BoundExpression law;
  std::string name;
};

/// In space: two points at a distance; zero: they coincide (a ball).
struct PointPair {
  int from = 0, to = 0;  // nodes
  Vec3 at_from, at_to;
  double length = 0;
  std::string name;
};

class LoopGraph {
 public:
  explicit LoopGraph(const System& system);

  bool planar() const { return planar_; }
  int nodes = 0;
  std::vector<LoopEdge> edges;
  std::vector<LoopRelation> relations;
  std::vector<PointPair> pairs;
  std::vector<int> edge_of_coordinate;
  /// What stands in the way of closing conditions, whatever the choice of coordinates; empty: nothing.
  std::string problem;

 private:
  int node(int body) const {
    return node_of_body_[body < 0 ? node_of_body_.size() - 1 : static_cast<std::size_t>(body)];
  }
  void unite_rigid_bodies(const Model& model);
  void add_tree(const System& system);
  void add_closing_joints(const System& system);
  void add_relations(const System& system);
  int add_edge(int from, int to, const ElementaryLink& link, const std::string& name);
  void measure(const System& system, int joint, int first_edge, double sign);

  bool planar_;
  std::vector<int> node_of_body_;  // of the ground the last
};

}  // namespace bricard

#include "analyses/choice/evaluation_cost.h"

#include <algorithm>

#include "coordinates/spanning_tree.h"
#include "model/joint_type.h"

namespace bricard {
namespace {

int rows_of(const Model& model, const Joint& joint) {
  const JointType& type = *find_joint_type(joint.type);
  const int rows = model.planar() ? type.planar_rows : type.spatial_rows;
  return rows >= 0 ? rows : static_cast<int>(joint.expressions.size());
}

// Of an explicit integrator's sums.
constexpr double state_cost = 8;

double graph_cost(const Model& model) {
  // A body: its frame, forces and acceleration. A joint of r rows: its place in the equations (r), blocks of S (r^2)
  // and their elimination (r^3).
  const double body = model.planar() ? 60 + 6 * state_cost : 510 + 13 * state_cost;
  double sum = body * static_cast<double>(model.bodies.size());
  for (const Joint& joint : model.joints) {
    const double r = rows_of(model, joint);
    sum += model.planar() ? 50 * r + 45 * r * r : 104 * r + 28 * r * r + 4 * r * r * r;
  }
  return sum;
}

double tree_cost(const Model& model) {
  const SpanningTree tree = choose_tree(model);
  std::vector<int> parent(model.bodies.size(), ground), depth(model.bodies.size(), 1);
  for (const TreeEdge& edge : tree.edges) {
    parent[edge.body] = edge.parent;
    if (edge.parent != ground) depth[edge.body] = depth[edge.parent] + 1;
  }
  const double body = (model.planar() ? 191 : 428) + 2 * state_cost;
  double sum = body * static_cast<double>(model.bodies.size());
  // More than one freedom of a joint, as counted for tops and free bodies in space.
  for (const TreeEdge& edge : tree.edges) sum += model.planar() ? 0 : 210 * std::max(0, freedoms(edge.links) - 1);
  // A loop of r rows: its joint, its block of S and the elimination of that; a body on its way: r numbers of Z, and a
  // part of the blocks that couple it to the other loops there.
  std::vector<double> rows_through(model.bodies.size(), 0);
  const auto depth_of = [&](int b) { return b == ground ? 0 : depth[b]; };
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    if (tree.in_tree[k]) continue;
    const double r = rows_of(model, model.joints[k]);
    sum += model.planar() ? 160 * r : 130 * r + 22 * r * r;
    int i = model.joints[k].i, j = model.joints[k].j;
    while (i != ground || j != ground) {
      if (i == j) j = ground;  // from where both ways meet there is one
      int& deeper = depth_of(i) > depth_of(j) ? i : j;
      const double others = rows_through[deeper];
      sum += model.planar() ? 40 * r + 8 * r * others : 50 * r + 4 * r * others;
      rows_through[deeper] += r;
      deeper = parent[deeper];
    }
  }
  return sum;
}

}  // namespace

EvaluationCost evaluation_cost(const Model& model) { return {graph_cost(model), tree_cost(model)}; }

}  // namespace bricard

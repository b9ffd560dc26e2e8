#include "analyses/evaluation_cost.h"

#include "coordinates/spanning_tree.h"
#include "joints/joint_type.h"

namespace bricard {
namespace {

int rows_of(const Model& model, const Joint& joint) {
  const JointType& type = *find_joint_type(joint.type);
  const int rows = model.planar() ? type.planar_rows : type.spatial_rows;
  return rows >= 0 ? rows : static_cast<int>(joint.expressions.size());
}

double graph_cost(const Model& model) {
  // A body: its frame, forces and acceleration. A joint of r rows: its place in the equations (r), blocks of S (r^2)
  // and their elimination (r^3).
  const double body = model.planar() ? 200 : 640;
  double sum = body * static_cast<double>(model.bodies.size());
  for (const Joint& joint : model.joints) {
    const double r = rows_of(model, joint);
    sum += model.planar() ? 90 * r + 46 * r * r : 130 * r + 35 * r * r + 5 * r * r * r;
  }
  return sum;
}

double tree_cost(const Model& model) {
  const SpanningTree tree = choose_tree(model);
  const double n = static_cast<double>(model.bodies.size());
  std::vector<int> depth(model.bodies.size(), 1);
  for (const TreeEdge& edge : tree.edges) {
    if (edge.parent != ground) depth[edge.body] = depth[edge.parent] + 1;
  }
  double rows = 0, paths = 0;  // of the joints that close loops; links on the way of each of their rows
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    if (tree.in_tree[k]) continue;
    const Joint& joint = model.joints[k];
    const int r = rows_of(model, joint);
    rows += r;
    for (int body : {joint.i, joint.j}) paths += body == ground ? 0 : r * depth[body];
  }
  if (rows == 0) return (model.planar() ? 424 : 1248) * n;
  return model.planar() ? 3300 + 2990 * n + 162 * paths + 1.4 * rows * paths + 98 * rows * rows
                        : 2500 + 3730 * n + 208 * paths + 1.8 * rows * paths + 115 * rows * rows;
}

}  // namespace

EvaluationCost evaluation_cost(const Model& model) { return {graph_cost(model), tree_cost(model)}; }

}  // namespace bricard

#include "coordinates/spanning_tree.h"

#include <queue>
#include <tuple>

namespace bricard {
namespace {

/// A body is followed by what it carries, so that sweeps over a chain run through memory in its order.
void order_by_branches(SpanningTree& tree) {
  std::vector<std::vector<int>> children(tree.edges.size() +
                                         1);  // edges by the body that carries them; of the ground last
  for (std::size_t e = 0; e < tree.edges.size(); ++e) {
    const int parent = tree.edges[e].parent;
    children[parent == ground ? tree.edges.size() : parent].push_back(static_cast<int>(e));
  }
  std::vector<TreeEdge> ordered;
  ordered.reserve(tree.edges.size());
  std::vector<int> waiting(children.back().rbegin(), children.back().rend());
  while (!waiting.empty()) {
    TreeEdge& edge = tree.edges[waiting.back()];
    waiting.pop_back();
    const std::vector<int>& carried = children[edge.body];
    waiting.insert(waiting.end(), carried.rbegin(), carried.rend());
    ordered.push_back(std::move(edge));
  }
  tree.edges = std::move(ordered);
}

}  // namespace

bool may_be_in_tree(const Joint& joint) { return !joint.cut && joint.friction.coulomb == 0 && joint.i != joint.j; }

// Prim's algorithm from the ground (or from a floating body) over edges ordered by (freedoms left, depth, number).
SpanningTree choose_tree(const Model& model) {
  const int bodies = static_cast<int>(model.bodies.size()), joints = static_cast<int>(model.joints.size());
  struct Candidate {
    int joint;
    bool from_j_to_i;
    std::vector<ElementaryLink> links;
  };
  std::vector<std::vector<Candidate>> of_body(bodies + 1);  // the ground is the last
  const auto slot = [&](int body) { return body == ground ? bodies : body; };
  for (int k = 0; k < joints; ++k) {
    const Joint& joint = model.joints[k];
    if (!may_be_in_tree(joint)) continue;
    for (const bool reversed : {false, true}) {
      if (auto links = tree_links(model, joint, reversed)) {
        of_body[slot(reversed ? joint.j : joint.i)].push_back({k, reversed, std::move(*links)});
      }
    }
  }

  SpanningTree tree;
  tree.in_tree.assign(joints, false);
  std::vector<bool> reached(bodies + 1, false);
  std::vector<int> depth(bodies + 1, 0);
  using Entry = std::tuple<int, int, int, int, int>;  // freedoms, depth of the parent, joint, parent, candidate
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto reach = [&](int body) {
    reached[slot(body)] = true;
    const auto& candidates = of_body[slot(body)];
    for (int c = 0; c < static_cast<int>(candidates.size()); ++c) {
      open.emplace(freedoms(candidates[c].links), depth[slot(body)], candidates[c].joint, body, c);
    }
  };
  const auto grow = [&] {
    while (!open.empty()) {
      const auto [ignored, parent_depth, joint, parent, c] = open.top();
      open.pop();
      const Candidate& candidate = of_body[slot(parent)][c];
      const int child = candidate.from_j_to_i ? model.joints[joint].i : model.joints[joint].j;
      if (reached[slot(child)]) continue;
      tree.in_tree[joint] = true;
      depth[slot(child)] = parent_depth + 1;
      tree.edges.push_back({child, parent, joint, candidate.links});
      reach(child);
    }
  };
  reach(ground);
  grow();
  for (int body = 0; body < bodies; ++body) {
    if (reached[body]) continue;
    depth[body] = 1;
    tree.edges.push_back({body, ground, -1, floating_links(model, model.bodies[body])});
    reach(body);
    grow();
  }
  order_by_branches(tree);
  return tree;
}

}  // namespace bricard

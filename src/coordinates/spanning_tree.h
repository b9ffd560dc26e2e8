// The spanning tree of a mechanism: which joints become coordinates, and which close loops. The tree keeps the joints
// that remove most freedoms, so that the cuts cost the fewest equations, and among equals the ones nearest to the
// ground, so that it is shallow. `cut: true` in the model keeps a joint out; so does friction that depends on the
// joint's load, which only a constraint has. Cuts by the projective criterion: analyses/choice/choose_cuts.h.
#pragma once

#include <vector>

#include "coordinates/tree_joints.h"

namespace bricard {

struct TreeEdge {
  int body = 0;
  int parent = ground;
  int joint = -1;  // -1: the body floats
  std::vector<ElementaryLink> links;
};

struct SpanningTree {
  std::vector<TreeEdge> edges;  // one a body, parents before children, branch by branch
  std::vector<bool> in_tree;    // by joint
};

/// Whether the model lets it; its type must be one of trees as well (tree_links).
bool may_be_in_tree(const Joint& joint);

SpanningTree choose_tree(const Model& model);

}  // namespace bricard

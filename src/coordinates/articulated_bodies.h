// x := M^-1 x for the coordinates of a tree, in time linear in its size: see tree_dynamics.h.
#pragma once

#include "coordinates/coordinates.h"
#include "coordinates/tree_dynamics.h"

namespace bricard {

class ArticulatedBodies : public MassSolver {
 public:
  ArticulatedBodies(const Model& model, const SpanningTree& tree, int positions)
      : tree_(create_tree_dynamics(model, tree)), q_(Vector::Zero(positions)) {}

  /// Where the next factorize() will be.
  void set_positions(ConstVector q) { q_ = q; }
  bool factorize() override {
    tree_->place(q_.data());
    return tree_->factorize();
  }
  void solve(VectorRef x) override {
    tree_->reduce(x.data());
    tree_->restore(x.data());
  }
  TreeDynamics& tree() { return *tree_; }

 private:
  std::unique_ptr<TreeDynamics> tree_;
  Vector q_;
};

}  // namespace bricard

// Rows of any kind on a tree (drives, gears, expressions, rolling, and loops beside them), from the Jacobian that the
// System writes in the coordinates of the joints:
//   Z = W P^T,   S = P M^-1 P^T = Z^T Z,   S lambda = Z^T z - gamma,   z := z - Z lambda       [tree_dynamics.h]
// A row's column of Z is zero but for the links on the paths of its bodies to the ground; S couples rows with links in
// common. The same interface as TreeLoops, which is faster and knows joints alone.
#pragma once

#include <vector>

#include "dynamics/bodies/joint_graph.h"
#include "dynamics/tree/tree_dynamics.h"
#include "linear/block/delassus.h"

namespace bricard {

class TreeRows {
 public:
  TreeRows(System& system, TreeDynamics& tree, int redundant);

  int rows() const { return graph_.rows(); }
  const std::vector<int>& system_row() const { return graph_.system_row; }
  Delassus<double>& delassus() { return delassus_; }

  // --- from the System ---
  /// Evaluates everything but M at an instant.
  void evaluate(double t, ConstVector q, ConstVector v, ConstVector states);
  /// Whose vectors are those of the last evaluate().
  const Equations& equations() const { return eq_; }
  double* Phi() { return Phi_.data(); }
  double* Phi_dot() { return Phi_dot_.data(); }
  double* right_side() { return right_.data(); }
  void find_errors() { take(eq_.Phi, 1, Phi_); }
  void find_rates() { take(eq_.Phi_dot, 1, Phi_dot_); }
  void find_right_side() { take(eq_.gamma, -1, right_); }
  void find_jacobian_and_right_side() { find_right_side(); }
  void find_jacobian() {}  // evaluate() has written it
  void take_motions() {}   // it takes them from the coordinates

  // --- multipliers ---
  /// S of P, for the tree's last factorisation. False if it is singular.
  bool factorize();
  void solve(const double* right, double* x);
  bool solve_least_norm(const double* right, double* x);
  /// y += Z^T z
  void add_transposed(const double* z, double* y) const;
  /// z -= Z x
  void subtract(const double* x, double* z) const;

 private:
  /// Rows of one owner: a block of S.
  struct JointBlock {
    int rows = 0, start = 0;
    std::vector<int> path;                 // links, parents first
    std::vector<int> columns;              // velocities of those links
    int Z = 0;                             // offset: rows by columns
    int diagonal = 0;                      // offset of its square block
    std::vector<std::vector<int>> places;  // of each row: where its entries of P belong among the columns
  };
  /// Two joint blocks with columns in common.
  struct Pair {
    int row, column;  // joint blocks
    int destination;
    std::vector<std::pair<int, int>> common;  // places among the columns of both
  };
  void take(const Vector& from, double factor, Vector& to) const;
  void assemble();
  auto applied();

  System& system_;
  TreeDynamics& tree_;
  Equations eq_;
  JointGraph graph_;
  std::vector<JointBlock> joint_blocks_;
  std::vector<Pair> pairs_;
  std::vector<double> Z_, z_;
  Vector Phi_, Phi_dot_, right_;
  double no_mobility_;
  Delassus<double> delassus_;
};

}  // namespace bricard

// Multipliers of the rows that close loops on a tree:  S lambda = b,  S = P M^-1 P^T = Z^T Z. S is singular where rows
// depend on each other and at singular positions, so it is not inverted but approached,
//   lambda += (S + mu 1)^-1 (b - S lambda)                                   [Rockafellar 1976, proximal point method]
// with rows of unit length in the metric of M^-1. What S cannot reach stays where it began, at zero: multipliers of
// least norm. A direction with an eigenvalue s of S takes an error by mu/(s + mu) in every pass.
// S is kept row by row from its first entry (an envelope), which the factor of Cholesky does not leave: chains of loops
// cost time linear in their number.
#pragma once

#include <memory>
#include <vector>

#include "coordinates/tree_dynamics.h"
#include "formulations/formulation.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard {

class ProximalMultipliers {
 public:
  ProximalMultipliers(const SparseRows& pattern, TreeDynamics& tree, const FormulationOptions& options);

  /// After the tree's factorize().
  bool factorize(const SparseRows& P);
  /// lambda for z = W Q; z -= Z lambda.
  void solve(ConstVector gamma, VectorRef z, VectorRef lambda);

  /// Of S, as the pivots of Cholesky tell it.
  int rank() const { return rank_; }
  const char* failure() const { return failure_; }

 private:
  /// What two rows have in common: the columns with which both begin, and whether there are others.
  struct Common {
    int beginning;
    bool more;
  };
  int rows() const { return static_cast<int>(Z_.rows()); }
  double* row_of(std::vector<double>& values, int row) const { return values.data() + start_[row]; }
  const double* row_of(const std::vector<double>& values, int row) const { return values.data() + start_[row]; }
  void find_envelope();
  Common common_columns(int row, int other) const;
  void multiply_out();
  bool decompose();
  /// x := (S + mu 1)^-1 x
  void apply_inverse(Vector& x) const;
  /// y = S x
  void apply(const Vector& x, Vector& y) const;

  TreeDynamics& tree_;
  SparseRows Z_;                         // Z^T: rows of the system
  std::vector<std::vector<int>> paths_;  // links of each row
  std::vector<int> first_;               // column of the first entry of a row of S
  std::vector<std::ptrdiff_t> start_;    // where column 0 of a row would be
  std::vector<double> S_, L_;            // lower triangles; L has inverse pivots on its diagonal
  std::vector<Common> common_;           // in the order of S
  Vector scale_, lambda_, missing_, step_, change_, work_;
  double mu_;
  int rank_ = 0;
  // If the user has named another pseudoinverse than the default.
  std::unique_ptr<Pseudoinverse> S_plus_;
  Matrix dense_;
  double threshold_;
  const char* failure_ = "";
};

}  // namespace bricard

// Factorises the symmetric positive definite matrix  K = M + a P^T P  of one sparsity pattern, many times.
// Small systems: dense Cholesky (LAPACK). Large ones: sparse LDL^T with an order found once (AMD).
#pragma once

#include <memory>
#include <vector>

#include "bricard/types.h"
#include "linear/sparse.h"

namespace bricard {

class PositiveSolver {
 public:
  /// Systems with at most this many unknowns are dense: as in KktSolver.
  static constexpr int dense_limit = 60;

  PositiveSolver(const SparseColumns& M, const SparseRows& P, int largest_dense = dense_limit);
  ~PositiveSolver();
  PositiveSolver(const PositiveSolver&) = delete;
  PositiveSolver& operator=(const PositiveSolver&) = delete;

  /// False if the matrix is not positive definite beyond rounding.
  bool factorize(const SparseColumns& M, const SparseRows& P, double a);
  /// x = K^-1 x
  void solve(Vector& x) const;

 private:
  class Backend;
  class DenseBackend;
  class SparseBackend;
  struct Product {
    int place, first, second;  // K[place] += a P[first] P[second]
  };
  std::unique_ptr<Backend> backend_;
  std::vector<int> mass_;  // places of M's values in K; -1 for those of the other triangle
  std::vector<Product> products_;
};

}  // namespace bricard

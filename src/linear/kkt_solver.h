// Factorises the symmetric indefinite matrix  K = [M + D, P^T; P, -mu I]  of one sparsity pattern, many times.
// Small systems: dense Bunch-Kaufman LDL^T (LAPACK). Large ones: sparse LU with an order found once (SparseLu).
#pragma once

#include <memory>

#include "bricard/types.h"
#include "linear/sparse.h"

namespace bricard {

class KktSolver {
 public:
  /// Systems with at most this many unknowns are dense. A round number for mechanisms of some ten planar bodies, not
  /// tuned.
  static constexpr int dense_limit = 60;

  KktSolver(const SparseColumns& M, const SparseRows& P, int largest_dense = dense_limit);
  ~KktSolver();
  KktSolver(const KktSolver&) = delete;
  KktSolver& operator=(const KktSolver&) = delete;

  /// `shift` (may be empty) is the diagonal D. False if the matrix is numerically singular.
  bool factorize(const SparseColumns& M, const SparseRows& P, ConstVector shift, double mu);
  /// K [x; y] = [f; g]. False if the solution is not finite.
  bool solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y);

 private:
  class Backend;
  class DenseBackend;
  class SparseBackend;
  int n_, m_;
  Vector right_side_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace bricard

// The Newton matrix of an implicit step,
//   [m M + c C + k K,  P^T - F]
//   [P,               -epsilon I]
// with C and K the derivatives of the residual with respect to velocities and positions and F that of the friction
// with respect to the multipliers. Small systems: dense LU (LAPACK). Large ones: sparse LU with an order found once
// (KLU) and the pivots of earlier matrices as long as they serve.
#pragma once

#include <memory>

#include "bricard/types.h"
#include "linear/sparse.h"

namespace bricard {

class DaeMatrix {
 public:
  struct Terms {
    const SparseColumns& M;
    double m;
    const SparseColumns& C;
    double c;
    const SparseColumns& K;
    double k;
    const SparseRows& P;
    const SparseColumns& F;
    double epsilon;
  };

  /// The patterns of the terms are those of all factorisations.
  DaeMatrix(const Terms& terms, bool dense);
  ~DaeMatrix();
  DaeMatrix(const DaeMatrix&) = delete;
  DaeMatrix& operator=(const DaeMatrix&) = delete;

  /// False if the matrix is singular.
  bool factorize(const Terms& terms);
  /// [x; y] from the right-hand side [f; g]. False if the solution is not finite.
  bool solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y);
  long factor_nonzeros() const;

 private:
  class Backend;
  class DenseBackend;
  class SparseBackend;
  int n_, rows_;
  Vector right_side_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace bricard

// L D L^T of a sparse symmetric matrix, for whatever runs once: Eigen's is compiled in one place.
#pragma once

#include <memory>

#include "bricard/types.h"
#include "linear/sparse.h"

namespace bricard {

class SparseLdlt {
 public:
  explicit SparseLdlt(const SparseColumns& A);
  ~SparseLdlt();
  SparseLdlt(const SparseLdlt&) = delete;
  SparseLdlt& operator=(const SparseLdlt&) = delete;

  /// The least term of D: its sign is that of the matrix. Minus infinity if there is no D, infinity without unknowns.
  double least_pivot() const;
  Vector solution(const Vector& right_side) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace bricard

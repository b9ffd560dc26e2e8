#include "linear/sparse_ldlt.h"

#include <Eigen/SparseCholesky>
#include <limits>

namespace bricard {

struct SparseLdlt::Factors : Eigen::SimplicialLDLT<SparseColumns> {
  using SimplicialLDLT::SimplicialLDLT;
};

SparseLdlt::SparseLdlt(const SparseColumns& A) : factors_(std::make_unique<Factors>(A)) {}
SparseLdlt::~SparseLdlt() = default;

double SparseLdlt::least_pivot() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (factors_->rows() == 0) return infinity;
  return factors_->info() == Eigen::Success ? factors_->vectorD().minCoeff() : -infinity;
}

Vector SparseLdlt::solution(const Vector& right_side) const { return factors_->solve(right_side); }

}  // namespace bricard

#include "analyses/reaction_metric.h"

#include <algorithm>

#include "analyses/body_companion.h"
#include "analyses/physical_reactions.h"
#include "linear/minimum_norm.h"
#include "linear/rank_threshold.h"

namespace bricard {
namespace {

using Entries = std::vector<Eigen::Triplet<double>>;

/// The rank of some rows of orthonormal vectors: no scale needed.
int rank_of_parts(int rows, int columns, const Entries& entries) {
  SparseRows part(rows, columns);
  part.setFromTriplets(entries.begin(), entries.end());
  double largest = 0;
  for (int row = 0; row < rows; ++row) largest = std::max(largest, part.row(row).norm());
  if (largest <= rank_threshold) return 0;
  MinimumNorm factor;
  factor.factorize(part, rank_threshold / largest);
  return factor.rank();
}

/// Of large matrices, which are sparse, each column to unit length alone.
SparseRows orthonormal(SparseColumns A) {
  constexpr int largest_dense = 500;
  if (A.rows() > largest_dense) {
    for (int k = 0; k < A.cols(); ++k) A.col(k) /= std::max(A.col(k).norm(), 1e-300);
    return SparseRows(A);
  }
  const Eigen::HouseholderQR<Matrix> factor{Matrix(A)};
  return SparseRows(Matrix(factor.householderQ() * Matrix::Identity(A.rows(), A.cols())).sparseView());
}

bool depends_on_length(const System& system, const Equations& eq) {
  ReactionDistribution distribution;
  SparseColumns Bt = distribution.find_sparse(system, eq, system.model().characteristic_length());
  const int columns = static_cast<int>(Bt.cols());
  // Columns of unit length: the rank must not depend on units.
  Vector scale(columns);
  for (int c = 0; c < columns; ++c) {
    const double size = Bt.col(c).norm();
    scale[c] = size > 0 ? 1 / size : 1;
  }
  MinimumNorm balanced;
  balanced.factorize(SparseRows((Bt * scale.asDiagonal()).transpose()), rank_threshold);
  const SparseRows N = orthonormal(scale.asDiagonal() * balanced.sparse_row_null_space());
  const int freedoms = static_cast<int>(N.cols());
  if (freedoms == 0) return false;

  // Whatever is no joint's reaction counts without the length, as forces do.
  std::vector<bool> of_joint(columns, false);
  const int joints = static_cast<int>(distribution.bases.size());
  Entries forces, moments;
  for (int k = 0; k < joints; ++k) {
    const ReactionDistribution::JointBasis& basis = distribution.bases[k];
    for (int c = 0; c < basis.count; ++c) {
      of_joint[basis.first + c] = true;
      for (SparseRows::InnerIterator entry(N, basis.first + c); entry; ++entry) {
        for (int axis = 0; axis < 3; ++axis) {
          forces.emplace_back(3 * k + axis, static_cast<int>(entry.col()), basis.directions(axis, c) * entry.value());
          moments.emplace_back(3 * k + axis, static_cast<int>(entry.col()),
                               basis.directions(3 + axis, c) * entry.value());
        }
      }
    }
  }
  for (int c = 0; c < columns; ++c) {
    if (of_joint[c]) continue;
    for (SparseRows::InnerIterator entry(N, c); entry; ++entry)
      forces.emplace_back(3 * joints + c, static_cast<int>(entry.col()), entry.value());
  }
  // dim N(moments zero) = freedoms - rank(moments), and the same with forces.
  return rank_of_parts(3 * joints + columns, freedoms, forces) + rank_of_parts(3 * joints, freedoms, moments) !=
         freedoms;
}

}  // namespace

bool depends_on_length(System& system, ConstVector q, ConstVector v) {
  Equations eq = system.empty_equations();
  const Vector no_states = Vector::Zero(system.state_size());
  system.evaluate(0, q, v, no_states, Upto::dynamics, eq);
  if (!system.absorbs_joints()) return depends_on_length(system, eq);
  BodyCompanion companion(system);
  companion.follow(0, q, v, Vector::Zero(system.velocity_size()), no_states);
  return depends_on_length(companion.system(), companion.equations());
}

}  // namespace bricard

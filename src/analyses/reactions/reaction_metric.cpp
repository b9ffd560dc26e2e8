#include "analyses/reactions/reaction_metric.h"

#include <algorithm>

#include "analyses/reactions/physical_reactions.h"
#include "analyses/structure/body_companion.h"
#include "linear/minimum_norm.h"
#include "linear/rank_threshold.h"

namespace bricard {
namespace {

using Entries = std::vector<Eigen::Triplet<double>>;

/// How many independent combinations of the columns vanish. Dense, or sparse with as many numbers as they touch.
int nullity(int rows, int columns, const Entries& entries) {
  SparseColumns A(rows, columns);
  A.setFromTriplets(entries.begin(), entries.end());
  MinimumNorm factor;
  factor.factorize(SparseRows(A.transpose()), rank_threshold);
  return columns - factor.rank();
}

/// Loads in self-stress are x with Bt x = 0. If each of them is a sum of one without moments and one without forces,
/// these two parts are orthogonal in every norm, and the least one is the same for every length.
bool depends_on_length(const System& system, const Equations& eq) {
  ReactionDistribution distribution;
  const SparseColumns Bt = distribution.find_sparse(system, eq, system.model().characteristic_length());
  const int columns = static_cast<int>(Bt.cols()), rows = static_cast<int>(Bt.rows());
  // Columns of unit length: the rank must not depend on units.
  Vector scale(columns);
  Entries balance;
  for (int c = 0; c < columns; ++c) {
    const double size = Bt.col(c).norm();
    scale[c] = size > 0 ? 1 / size : 1;
    for (SparseColumns::InnerIterator entry(Bt, c); entry; ++entry)
      balance.emplace_back(static_cast<int>(entry.row()), c, scale[c] * entry.value());
  }
  const int freedoms = nullity(rows, columns, balance);
  if (freedoms == 0) return false;

  // Besides the balance, rows that let forces or moments vanish.
  Entries no_forces = balance, no_moments = balance;
  std::vector<bool> of_joint(columns, false);
  const int joints = static_cast<int>(distribution.bases.size());
  for (int k = 0; k < joints; ++k) {
    const ReactionDistribution::JointBasis& basis = distribution.bases[k];
    const double largest = basis.count > 0 ? scale.segment(basis.first, basis.count).maxCoeff() : 1;
    for (int c = 0; c < basis.count; ++c) {
      const int column = basis.first + c;
      of_joint[column] = true;
      for (int axis = 0; axis < 3; ++axis) {
        const int row = rows + 3 * k + axis;
        no_forces.emplace_back(row, column, scale[column] / largest * basis.directions(axis, c));
        no_moments.emplace_back(row, column, scale[column] / largest * basis.directions(3 + axis, c));
      }
    }
  }
  // Whatever is no joint's reaction counts without the length, as forces do.
  for (int c = 0; c < columns; ++c) {
    if (!of_joint[c]) no_forces.emplace_back(rows + 3 * joints + c, c, 1);
  }
  return nullity(rows + 3 * joints + columns, columns, no_forces) + nullity(rows + 3 * joints, columns, no_moments) !=
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

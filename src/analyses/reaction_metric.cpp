#include "analyses/reaction_metric.h"

#include "analyses/body_companion.h"
#include "analyses/physical_reactions.h"
#include "linear/rank_threshold.h"
#include "linear/subspaces.h"

namespace bricard {
namespace {

bool depends_on_length(const System& system, const Equations& eq) {
  ReactionDistribution distribution;
  distribution.find(system, eq, system.model().characteristic_length());
  const Matrix& Bt = distribution.Bt;
  const int columns = static_cast<int>(Bt.cols());
  // Columns of unit length: the rank must not depend on units.
  const Vector sizes = Bt.colwise().norm().transpose();
  const Vector scale = (sizes.array() > 0).select(sizes.cwiseInverse(), 1);
  Eigen::ColPivHouseholderQR<Matrix> factor;
  factor.setThreshold(rank_threshold);
  factor.compute((Bt * scale.asDiagonal()).transpose());
  const int rank = static_cast<int>(factor.rank()), freedoms = columns - rank;
  if (freedoms == 0) return false;
  Matrix N = Matrix(factor.householderQ()).rightCols(freedoms);
  N = scale.asDiagonal() * N;
  N = Matrix(Eigen::HouseholderQR<Matrix>(N).householderQ() * Matrix::Identity(columns, freedoms));

  // Whatever is no joint's reaction counts without the length, as forces do.
  std::vector<bool> of_joint(columns, false);
  const auto joints = static_cast<Eigen::Index>(distribution.bases.size());
  Matrix forces = Matrix::Zero(3 * joints + columns, freedoms), moments = Matrix::Zero(3 * joints, freedoms);
  for (Eigen::Index k = 0; k < joints; ++k) {
    const ReactionDistribution::JointBasis& basis = distribution.bases[k];
    const Matrix wrenches = basis.directions * N.middleRows(basis.first, basis.count);
    forces.middleRows(3 * k, 3) = wrenches.topRows(3);
    moments.middleRows(3 * k, 3) = wrenches.bottomRows(3);
    for (int c = 0; c < basis.count; ++c) of_joint[basis.first + c] = true;
  }
  for (int c = 0; c < columns; ++c) {
    if (!of_joint[c]) forces.row(3 * joints + c) = N.row(c);
  }
  // dim N(moments zero) = freedoms - rank(moments), and the same with forces.
  // Parts of orthonormal vectors: no scale needed.
  return rank_of(forces, rank_threshold) + rank_of(moments, rank_threshold) != freedoms;
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

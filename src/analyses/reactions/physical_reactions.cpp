#include "analyses/reactions/physical_reactions.h"

#include <cmath>

#include "analyses/reactions/gauss_elimination.h"
#include "linear/dense/dense.h"

namespace bricard {

const std::vector<ReactionSchemeType>& reaction_scheme_types() {
  static const std::vector<ReactionSchemeType> types = {
      {"multipliers", "from the formulation's multipliers", "", ReactionScheme::multipliers, true, true},
      {"blajer-35", "from the mass-weighted constraint equations, without accelerations",
       "Blajer, Schiehlen, Schirm 1994, (35)", ReactionScheme::blajer_35, false, false},
      {"blajer-37", "one square system with the null space", "Blajer, Schiehlen, Schirm 1994, (37)",
       ReactionScheme::blajer_37, false, true},
      {"blajer-38",
       "least squares; where reactions are not unique, those of least norm with moments divided by a length",
       "Blajer, Schiehlen, Schirm 1994, (38)", ReactionScheme::blajer_38, true, true},
      {"blajer-38-gauss",
       "Gauss elimination with full pivoting; where reactions are not unique, what depends on others is zero",
       "Blajer, Schiehlen, Schirm 1994, (38)", ReactionScheme::blajer_38_gauss, true, true},
  };
  return types;
}

const ReactionSchemeType* find_reaction_scheme_type(const std::string& name) {
  for (const ReactionSchemeType& type : reaction_scheme_types()) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

SparseColumns ReactionDistribution::find_sparse(const System& system, const Equations& eq, double length) {
  bases.clear();
  std::vector<Eigen::Triplet<double>> entries;
  int columns = 0;
  std::vector<bool> taken(system.row_count(), false);
  Vector unit = Vector::Zero(system.row_count());
  for (int joint = 0; joint < static_cast<int>(system.model().joints.size()); ++joint) {
    const auto [first, last] = system.reactions().rows_of_joint(joint);
    if (!system.reactions().has_reaction(joint) || first == last) continue;
    // Wrench on body j for each of the joint's multipliers.
    Matrix W(6, last - first);
    for (int row = first; row < last; ++row) {
      unit[row] = 1;
      const Reaction reaction = system.reaction(joint, unit);
      W.col(row - first) << reaction.force, reaction.moment / length;
      unit[row] = 0;
      taken[row] = true;
    }
    const Eigen::JacobiSVD<Matrix> factor(W, Eigen::ComputeThinU | Eigen::ComputeThinV);
    int rank = 0;
    while (rank < factor.singularValues().size() && factor.singularValues()[rank] > 1e-10 * factor.singularValues()[0])
      ++rank;
    Matrix directions = factor.matrixU().leftCols(rank);
    Matrix to_multipliers =
        factor.matrixV().leftCols(rank) * factor.singularValues().head(rank).cwiseInverse().asDiagonal();
    // Along the axes rather than against them, for whoever looks at the components.
    for (int k = 0; k < rank; ++k) {
      Eigen::Index largest = 0;
      directions.col(k).cwiseAbs().maxCoeff(&largest);
      if (directions(largest, k) < 0) directions.col(k) *= -1, to_multipliers.col(k) *= -1;
    }
    bases.push_back({joint, columns, rank, directions});
    for (int row = first; row < last; ++row) {
      for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry) {
        for (int k = 0; k < rank; ++k)
          entries.emplace_back(static_cast<int>(entry.col()), columns + k,
                               -entry.value() * to_multipliers(row - first, k));
      }
    }
    columns += rank;
  }
  // Drives, gears, expressions and the coordinates' own rows act by their multipliers.
  for (int row = 0; row < system.row_count(); ++row) {
    if (taken[row]) continue;
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry)
      entries.emplace_back(static_cast<int>(entry.col()), columns, -entry.value());
    ++columns;
  }
  SparseColumns result(eq.velocities(), columns);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

Vector row_scale_of(const System& system, double length) {
  Vector scale(system.velocity_size());
  for (int k = 0; k < system.velocity_size(); ++k) scale[k] = system.coordinates().is_rotation(k) ? 1 / length : 1;
  return scale;
}

void PhysicalReactions::find(const Equations& eq, ConstVector Q, ConstVector vdot, ConstVector lambda) {
  const int joints = static_cast<int>(system_.model().joints.size());
  reactions_.resize(joints);
  for (int joint = 0; joint < joints; ++joint) {
    reactions_[joint] = system_.reactions().has_reaction(joint) ? system_.reaction(joint, lambda) : Reaction();
  }
  if (scheme_ == ReactionScheme::multipliers || system_.row_count() == 0) return;

  distribution_.find(system_, eq, length_);
  const Matrix& Bt = distribution_.Bt;
  const int n = eq.velocities(), m = static_cast<int>(Bt.cols());
  const Matrix M = Matrix(eq.M);
  const Vector effect = M * vdot - Q;  // B^T f
  Vector f(m);
  switch (scheme_) {
    case ReactionScheme::blajer_35: {
      const Vector s = least_norm_solution(Matrix(eq.P), eq.gamma);
      f = cholesky_solution(Bt.transpose() * cholesky_solution(M, Bt), Bt.transpose() * (s - cholesky_solution(M, Q)));
      break;
    }
    case ReactionScheme::blajer_37: {
      Matrix T(n, n);
      T.leftCols(m) = Bt;
      T.rightCols(n - m) = M * orthogonal_factor(Bt).rightCols(n - m);  // M D^T
      f = lu_solution(T, effect).topRows(m);
      break;
    }
    case ReactionScheme::blajer_38_gauss:
      f = GaussElimination(Bt, effect, row_scale_of(system_, length_), 1e-9).f;
      break;
    default: f = least_norm_solution(Bt, effect, 1e-9);
  }
  for (const ReactionDistribution::JointBasis& basis : distribution_.bases) {
    const Eigen::Matrix<double, 6, 1> wrench = basis.directions * f.segment(basis.first, basis.count);
    reactions_[basis.joint].force = wrench.head<3>();
    reactions_[basis.joint].moment = length_ * wrench.tail<3>();
  }
}

}  // namespace bricard

#include "diagnosis/self_stress.h"

#include <cmath>
#include <set>

#include "linear/minimum_norm.h"
#include "linear/rank_threshold.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

constexpr double rounding_threshold = 1e-7;  // of a unit self-stress: less is rounding

using Directions = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// Along the axis and across it, or all directions.
std::vector<Directions> split(const Vec3& axis, bool planar, StressBlock::Kind kind) {
  if (planar) {
    Directions all(3, kind == StressBlock::Kind::force ? 2 : 1);
    all = kind == StressBlock::Kind::force ? Mat3::Identity().leftCols(2) : Mat3::Identity().rightCols(1);
    return {all};
  }
  if (axis.isZero()) return {Mat3::Identity()};
  const AxisFrame frame(axis);
  Directions along(3, 1), across(3, 2);
  along << frame.axis;
  across << frame.first, frame.second;
  return {along, across};
}

}  // namespace

Mat3 turned(const System& system, int body) {
  if (body == ground) return Mat3::Identity();
  return system.coordinates().frame(body) * system.model().bodies[body].orientation.toRotationMatrix().transpose();
}

Vec3 axis_now(const System& system, int joint) {
  static const std::set<std::string> with_axis = {"revolute", "prismatic",     "cylindrical",    "screw",
                                                  "planar",   "point_on_line", "point_on_plane", "parallel_axes"};
  const Joint& j = system.model().joints[joint];
  if (!with_axis.contains(j.type)) return Vec3::Zero();
  return turned(system, j.i) * j.axis_i;
}

Matrix balanced_multipliers(const System& system, const Equations& eq) {
  const Vector typical = typical_inertia(system);
  MinimumNorm rows;
  rows.factorize(dimensionless_rows(eq.P, typical), rank_threshold);
  Matrix multipliers = rows.row_null_space();
  for (int row = 0; row < eq.P.rows(); ++row) {
    double squared = 0;
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry)
      squared += entry.value() * entry.value() / typical[entry.col()];
    if (squared > 0) multipliers.row(row) /= std::sqrt(squared);
  }
  return multipliers;
}

SelfStress find_self_stress(const System& system, const Equations& eq) {
  const Model& model = system.model();
  SelfStress stress;
  stress.length = model.characteristic_length();
  const Matrix multipliers = balanced_multipliers(system, eq);
  const int states = static_cast<int>(multipliers.cols());
  stress.basis.resize(0, states);
  if (states == 0) return stress;

  std::vector<StressBlock> blocks;
  std::vector<Matrix> parts;
  const auto add = [&](const std::string& name, int joint, StressBlock::Kind kind, const Directions& directions,
                       const Matrix& part, int number = 0) {
    blocks.push_back({name, joint, kind, number, directions, 0, static_cast<int>(part.rows())});
    parts.push_back(part);
  };
  for (int joint = 0; joint < static_cast<int>(model.joints.size()); ++joint) {
    const std::string& name = model.joints[joint].name;
    const auto [first, last] = system.reactions().rows_of_joint(joint);
    if (!system.reactions().has_reaction(joint)) {
      for (int row = first; row < last; ++row)
        add(name, joint, StressBlock::Kind::effort, Directions(3, 0), multipliers.row(row), row - first);
      continue;
    }
    Matrix forces(3, states), moments(3, states);
    for (int k = 0; k < states; ++k) {
      const Reaction reaction = system.reaction(joint, multipliers.col(k));
      forces.col(k) = reaction.force;
      moments.col(k) = reaction.moment / stress.length;
    }
    const Vec3 axis = axis_now(system, joint);
    for (const Directions& d : split(axis, model.planar(), StressBlock::Kind::force))
      add(name, joint, StressBlock::Kind::force, d, d.transpose() * forces);
    for (const Directions& d : split(axis, model.planar(), StressBlock::Kind::moment))
      add(name, joint, StressBlock::Kind::moment, d, d.transpose() * moments);
  }
  for (int k = 0; k < static_cast<int>(model.motions.size()); ++k)
    add(model.motions[k].name, -1, StressBlock::Kind::effort, Directions(3, 0), multipliers.row(system.motion_row(k)));

  int rows = 0;
  for (const Matrix& part : parts) rows += static_cast<int>(part.rows());
  Matrix all(rows, states);
  int row = 0;
  for (const Matrix& part : parts) {
    all.middleRows(row, part.rows()) = part;
    row += static_cast<int>(part.rows());
  }
  // Each state of self-stress to a comparable size, then orthonormal.
  for (int k = 0; k < states; ++k) all.col(k) /= std::max(all.col(k).norm(), 1e-300);
  const Eigen::ColPivHouseholderQR<Matrix> factor(all);
  const Matrix orthonormal = factor.householderQ() * Matrix::Identity(all.rows(), states);

  rows = 0;
  std::vector<int> kept;
  row = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (orthonormal.middleRows(row, blocks[b].size).norm() > rounding_threshold) {
      kept.push_back(row);
      blocks[b].first = rows;
      rows += blocks[b].size;
      stress.blocks.push_back(blocks[b]);
    }
    row += blocks[b].size;
  }
  stress.basis.resize(rows, states);
  for (std::size_t b = 0; b < kept.size(); ++b)
    stress.basis.middleRows(stress.blocks[b].first, stress.blocks[b].size) =
        orthonormal.middleRows(kept[b], stress.blocks[b].size);
  return stress;
}

}  // namespace bricard

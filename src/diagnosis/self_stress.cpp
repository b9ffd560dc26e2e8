#include "diagnosis/self_stress.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linear/dense/dense.h"
#include "linear/minimum_norm.h"
#include "linear/rank_threshold.h"
#include "model/joint_type.h"
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

/// Columns of unit length; orthonormal if they are few.
SparseRows make_orthonormal(const SparseColumns& states, bool& done) {
  constexpr long most_dense_numbers = 400'000;
  done = static_cast<long>(states.rows()) * states.cols() <= most_dense_numbers;
  if (!done) return SparseRows(states);
  const Eigen::ColPivHouseholderQR<Matrix> factor{Matrix(states)};
  return SparseRows(orthogonal_columns(factor, static_cast<int>(states.cols())).sparseView());
}

}  // namespace

Mat3 turned(const System& system, int body) {
  if (body == ground) return Mat3::Identity();
  return system.coordinates().frame(body) * system.model().bodies[body].orientation.toRotationMatrix().transpose();
}

Vec3 axis_now(const System& system, int joint) {
  const Joint& j = system.model().joints[joint];
  const JointAxis axis = type_of(j).axis(system.model().dimension);
  if (axis != JointAxis::along && axis != JointAxis::normal) return Vec3::Zero();
  return turned(system, j.i) * j.axis_i;
}

std::span<const StressBlock> SelfStress::of_joint(int joint) const {
  // In the order of the joints, motions last.
  const auto place = [](int number) { return number < 0 ? std::numeric_limits<int>::max() : number; };
  const auto first = std::partition_point(blocks.begin(), blocks.end(),
                                          [&](const StressBlock& block) { return place(block.joint) < place(joint); });
  const auto last =
      std::partition_point(first, blocks.end(), [&](const StressBlock& block) { return block.joint == joint; });
  return {first, last};
}

void SelfStress::add_states(std::span<const StressBlock> some, std::vector<int>& states) const {
  for (const StressBlock& block : some) {
    for (int row = block.first; row < block.first + block.size; ++row) {
      for (SparseRows::InnerIterator entry(basis, row); entry; ++entry) states.push_back(static_cast<int>(entry.col()));
    }
  }
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
}

Matrix SelfStress::carried(const StressBlock& block, const std::vector<int>& states) const {
  Matrix part = Matrix::Zero(block.size, static_cast<int>(states.size()));
  for (int row = 0; row < block.size; ++row) {
    for (SparseRows::InnerIterator entry(basis, block.first + row); entry; ++entry) {
      const auto place = std::lower_bound(states.begin(), states.end(), static_cast<int>(entry.col()));
      if (place != states.end() && *place == entry.col()) part(row, place - states.begin()) = entry.value();
    }
  }
  return part;
}

SparseColumns balanced_multipliers(const System& system, const Equations& eq) {
  const Vector typical = typical_inertia(system);
  MinimumNorm rows;
  rows.factorize(dimensionless_rows(eq.P, typical), rank_threshold);
  Vector scale = Vector::Ones(eq.P.rows());
  for (int row = 0; row < eq.P.rows(); ++row) {
    double squared = 0;
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry)
      squared += entry.value() * entry.value() / typical[entry.col()];
    if (squared > 0) scale[row] = 1 / std::sqrt(squared);
  }
  return scale.asDiagonal() * rows.sparse_row_null_space();
}

SelfStress find_self_stress(const System& system, const Equations& eq) {
  const Model& model = system.model();
  SelfStress stress;
  stress.length = model.characteristic_length();
  const SparseRows multipliers(balanced_multipliers(system, eq));
  const int states = static_cast<int>(multipliers.cols());
  stress.basis.resize(0, states);
  if (states == 0) return stress;

  std::vector<StressBlock> blocks;
  std::vector<Eigen::Triplet<double>> entries;
  int rows = 0;
  std::vector<int> here;  // states in which the joint takes part
  const auto add = [&](const std::string& name, int joint, StressBlock::Kind kind, const Directions& directions,
                       const Matrix& part, int number = 0) {
    const int size = static_cast<int>(part.rows());
    blocks.push_back({name, joint, kind, number, directions, rows, size});
    for (int row = 0; row < size; ++row) {
      for (int k = 0; k < part.cols(); ++k) {
        if (part(row, k) != 0) entries.emplace_back(rows + row, here[k], part(row, k));
      }
    }
    rows += size;
  };
  const auto multipliers_of = [&](int first, int last) {
    here.clear();
    for (int row = first; row < last; ++row) {
      for (SparseRows::InnerIterator entry(multipliers, row); entry; ++entry)
        here.push_back(static_cast<int>(entry.col()));
    }
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    Matrix own = Matrix::Zero(last - first, static_cast<int>(here.size()));
    for (int row = first; row < last; ++row) {
      for (SparseRows::InnerIterator entry(multipliers, row); entry; ++entry)
        own(row - first, std::lower_bound(here.begin(), here.end(), static_cast<int>(entry.col())) - here.begin()) =
            entry.value();
    }
    return own;
  };
  Vector unit = Vector::Zero(system.row_count());
  for (int joint = 0; joint < static_cast<int>(model.joints.size()); ++joint) {
    const std::string& name = model.joints[joint].name;
    const auto [first, last] = system.reactions().rows_of_joint(joint);
    const Matrix own = multipliers_of(first, last);
    if (here.empty()) continue;
    if (!system.reactions().has_reaction(joint)) {
      for (int row = first; row < last; ++row)
        add(name, joint, StressBlock::Kind::effort, Directions(3, 0), own.row(row - first), row - first);
      continue;
    }
    Matrix force_of(3, last - first), moment_of(3, last - first);  // of unit multipliers
    for (int row = first; row < last; ++row) {
      unit[row] = 1;
      const Reaction reaction = system.reaction(joint, unit);
      unit[row] = 0;
      force_of.col(row - first) = reaction.force;
      moment_of.col(row - first) = reaction.moment / stress.length;
    }
    const Matrix forces = force_of * own, moments = moment_of * own;
    const Vec3 axis = axis_now(system, joint);
    for (const Directions& d : split(axis, model.planar(), StressBlock::Kind::force))
      add(name, joint, StressBlock::Kind::force, d, d.transpose() * forces);
    for (const Directions& d : split(axis, model.planar(), StressBlock::Kind::moment))
      add(name, joint, StressBlock::Kind::moment, d, d.transpose() * moments);
  }
  for (int k = 0; k < static_cast<int>(model.motions.size()); ++k) {
    const Matrix own = multipliers_of(system.motion_row(k), system.motion_row(k) + 1);
    if (!here.empty()) add(model.motions[k].name, -1, StressBlock::Kind::effort, Directions(3, 0), own);
  }

  // Each state of self-stress to a comparable size, then orthonormal.
  SparseColumns all(rows, states);
  all.setFromTriplets(entries.begin(), entries.end());
  for (int k = 0; k < states; ++k) all.col(k) /= std::max(all.col(k).norm(), 1e-300);
  const SparseRows orthonormal = make_orthonormal(all, stress.orthonormal);

  entries.clear();
  rows = 0;
  for (StressBlock& block : blocks) {
    double squared = 0;
    for (int row = block.first; row < block.first + block.size; ++row) squared += orthonormal.row(row).squaredNorm();
    if (std::sqrt(squared) <= rounding_threshold) continue;
    for (int row = 0; row < block.size; ++row) {
      for (SparseRows::InnerIterator entry(orthonormal, block.first + row); entry; ++entry)
        entries.emplace_back(rows + row, static_cast<int>(entry.col()), entry.value());
    }
    block.first = rows;
    rows += block.size;
    stress.blocks.push_back(block);
  }
  stress.basis.resize(rows, orthonormal.cols());
  stress.basis.setFromTriplets(entries.begin(), entries.end());
  return stress;
}

}  // namespace bricard

#include "diagnosis/idle_freedoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "diagnosis/direction_words.h"
#include "diagnosis/self_stress.h"
#include "linear/dense/subspaces.h"
#include "linear/rank_threshold.h"
#include "model/joint_type.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

constexpr double direction_threshold = 1e-6;

/// Bodies that rigid joints make one.
std::vector<std::vector<int>> rigid_groups(const Model& model) {
  std::vector<int> parent(model.bodies.size());
  std::iota(parent.begin(), parent.end(), 0);
  const std::function<int(int)> root = [&](int k) { return parent[k] == k ? k : parent[k] = root(parent[k]); };
  for (const Joint& joint : model.joints) {
    if (type_of(joint).rigid() && joint.i != ground && joint.j != ground) parent[root(joint.i)] = root(joint.j);
  }
  std::map<int, std::vector<int>> groups;
  for (int body = 0; body < static_cast<int>(parent.size()); ++body) groups[root(body)].push_back(body);
  std::vector<std::vector<int>> result;
  for (auto& [key, bodies] : groups) result.push_back(std::move(bodies));
  return result;
}

/// Null space of some columns of the rows that touch them, in dimensionless velocities.
Matrix own_freedoms(const SparseColumns& rows, const std::vector<int>& columns) {
  std::map<int, int> place;  // of the rows, which keep their order
  for (int column : columns) {
    for (SparseColumns::InnerIterator entry(rows, column); entry; ++entry) place[static_cast<int>(entry.row())] = 0;
  }
  int count = 0;
  for (auto& [row, number] : place) number = count++;
  Matrix A = Matrix::Zero(count, static_cast<int>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (SparseColumns::InnerIterator entry(rows, columns[k]); entry; ++entry)
      A(place.at(static_cast<int>(entry.row())), static_cast<int>(k)) = entry.value();
  }
  return null_space_of(A, rank_threshold);
}

std::vector<std::vector<int>> joints_of_bodies(const Model& model) {
  std::vector<std::vector<int>> joints(model.bodies.size());
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Joint& joint = model.joints[k];
    if (joint.i >= 0) joints[joint.i].push_back(k);
    if (joint.j >= 0 && joint.j != joint.i) joints[joint.j].push_back(k);
  }
  return joints;
}

bool only_turns(const JointType& type) {
  using Kind = JointLink::Kind;
  if (!type.tree_links || type.tree_links->size() != 1) return false;
  const Kind kind = type.tree_links->front().kind;
  return kind == Kind::turn || kind == Kind::screw;
}

/// A joint, among those of a body, about whose axis turning is what it is for.
bool is_a_bearing(const System& system, const std::vector<int>& joints, const Vec3& axis) {
  return std::any_of(joints.begin(), joints.end(), [&](int k) {
    const JointType& type = type_of(system.model().joints[k]);
    const bool turns = only_turns(type) || (type.turning_pair && joints.size() == 1);
    return turns && axis_now(system, k).cross(axis).norm() < direction_threshold;
  });
}

}  // namespace

std::vector<IdleSpin> find_idle_spins(const System& system, const Equations& eq) {
  std::vector<IdleSpin> spins;
  const Model& model = system.model();
  if (model.planar()) return spins;
  const Vector typical = typical_inertia(system);
  const SparseColumns rows(dimensionless_rows(eq.P, typical));
  const std::vector<std::vector<int>> joints = joints_of_bodies(model);
  for (const std::vector<int>& bodies : rigid_groups(model)) {
    std::vector<int> columns;
    for (int body : bodies) {
      for (int k = 0; k < 6; ++k) columns.push_back(6 * body + k);
    }
    const Matrix freedoms = own_freedoms(rows, columns);
    if (freedoms.cols() == 0 || freedoms.cols() > 2) continue;  // more: a free body, or one that swings
    // Among its freedoms, those that move no centre of mass.
    Matrix translations(3 * static_cast<int>(bodies.size()), freedoms.cols());
    for (std::size_t b = 0; b < bodies.size(); ++b)
      translations.middleRows(3 * static_cast<int>(b), 3) = freedoms.middleRows(6 * static_cast<int>(b), 3);
    const Matrix still = null_space_of(translations, direction_threshold);
    if (still.cols() != 1) continue;
    const Vector spin = freedoms * still;
    const Vec3 axis = Vec3(spin.segment<3>(3)).normalized();
    bool idle = true;
    double effort = 0, size = 0;
    for (const int body : bodies) {
      idle &= !is_a_bearing(system, joints[body], axis);
      const Vec3 moment = eq.Q.segment<3>(6 * body + 3);
      effort += moment.dot(axis), size += moment.norm();
    }
    if (!idle || std::abs(effort) > direction_threshold * std::max(size, 1e-300)) continue;
    IdleSpin entry;
    for (int body : bodies) entry.bodies.push_back(model.bodies[body].name);
    entry.axis = axis;
    entry.words = fmt::format("{} may spin about {} without moving anything else", listed(entry.bodies),
                              vector_words(axis, false));
    spins.push_back(std::move(entry));
  }
  return spins;
}

std::vector<InertiaFree> find_inertia_free(const System& system, const Equations& eq) {
  std::vector<InertiaFree> result;
  const Model& model = system.model();
  const int per_body = model.planar() ? 3 : 6;
  const Vector typical = typical_inertia(system);
  const SparseColumns rows(dimensionless_rows(eq.P, typical));
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    InertiaFree entry{.body = body.name, .no_mass = body.mass <= 0, .axes = Matrix(3, 0)};
    if (model.planar()) {
      if (body.inertia(2, 2) <= 0) entry.axes = Vec3::UnitZ();
    } else {
      const Mat3 R = system.coordinates().frame(b);
      const Eigen::SelfAdjointEigenSolver<Mat3> inertia(body.inertia);
      const double largest = std::max(inertia.eigenvalues()[2], 0.0);
      for (int k = 0; k < 3; ++k) {
        if (inertia.eigenvalues()[k] > 1e-12 * largest) continue;
        entry.axes.conservativeResize(3, entry.axes.cols() + 1);
        entry.axes.col(entry.axes.cols() - 1) = R * inertia.eigenvectors().col(k);
      }
    }
    if (!entry.no_mass && entry.axes.cols() == 0) continue;

    std::vector<int> columns;
    for (int k = 0; k < per_body; ++k) columns.push_back(per_body * b + k);
    const Matrix freedoms = own_freedoms(rows, columns);
    // Is a combination of directions without inertia among its own freedoms? Both bases are orthonormal.
    const int places = model.planar() ? 2 : 3, massless = entry.no_mass ? places : 0;
    Matrix without = Matrix::Zero(per_body, massless + entry.axes.cols());
    without.topLeftCorner(massless, massless).setIdentity();
    for (int a = 0; a < entry.axes.cols(); ++a)
      without.col(massless + a).tail(per_body - places) = entry.axes.col(a).tail(per_body - places);
    entry.moves_freely =
        freedoms.cols() > 0 && singular_values(without.transpose() * freedoms)[0] > 1 - direction_threshold;
    std::vector<std::string> words;
    if (entry.no_mass) words.emplace_back("no mass");
    if (entry.axes.cols() == 3 || (model.planar() && entry.axes.cols() == 1)) {
      words.emplace_back("no moment of inertia");
    } else {
      for (int a = 0; a < entry.axes.cols(); ++a)
        words.push_back("no moment of inertia about " + vector_words(entry.axes.col(a), false));
    }
    entry.words = fmt::format("{} has {}{}", body.name, listed(words),
                              entry.moves_freely ? ", and no constraint holds it there" : "");
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace bricard

#include "diagnosis/idle_freedoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "diagnosis/direction_words.h"
#include "diagnosis/self_stress.h"
#include "linear/rank_threshold.h"
#include "linear/subspaces.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

constexpr double direction_threshold = 1e-6;

/// Bodies that joints of type `fixed` make one.
std::vector<std::vector<int>> rigid_groups(const Model& model) {
  std::vector<int> parent(model.bodies.size());
  std::iota(parent.begin(), parent.end(), 0);
  const std::function<int(int)> root = [&](int k) { return parent[k] == k ? k : parent[k] = root(parent[k]); };
  for (const Joint& joint : model.joints) {
    if (joint.type == "fixed" && joint.i != ground && joint.j != ground) parent[root(joint.i)] = root(joint.j);
  }
  std::map<int, std::vector<int>> groups;
  for (int body = 0; body < static_cast<int>(parent.size()); ++body) groups[root(body)].push_back(body);
  std::vector<std::vector<int>> result;
  for (auto& [key, bodies] : groups) result.push_back(std::move(bodies));
  return result;
}

/// Null space of some columns of the rows that touch them, in dimensionless velocities.
Matrix own_freedoms(const SparseRows& rows, const std::vector<int>& columns) {
  std::vector<int> place(rows.cols(), -1);
  for (std::size_t k = 0; k < columns.size(); ++k) place[columns[k]] = static_cast<int>(k);
  std::vector<Vector> touched;
  for (int row = 0; row < rows.outerSize(); ++row) {
    Vector part = Vector::Zero(static_cast<int>(columns.size()));
    bool any = false;
    for (SparseRows::InnerIterator entry(rows, row); entry; ++entry) {
      if (place[entry.col()] < 0) continue;
      part[place[entry.col()]] = entry.value();
      any = true;
    }
    if (any) touched.push_back(part);
  }
  Matrix A(static_cast<int>(touched.size()), static_cast<int>(columns.size()));
  for (std::size_t k = 0; k < touched.size(); ++k) A.row(static_cast<int>(k)) = touched[k].transpose();
  return null_space_of(A, rank_threshold);
}

int joint_count(const Model& model, int body) {
  return static_cast<int>(std::count_if(model.joints.begin(), model.joints.end(),
                                        [&](const Joint& joint) { return joint.i == body || joint.j == body; }));
}

/// A joint about whose axis turning is what it is for.
bool is_a_bearing(const System& system, int body, const Vec3& axis) {
  const Model& model = system.model();
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Joint& joint = model.joints[k];
    if (joint.i != body && joint.j != body) continue;
    const bool turns = joint.type == "revolute" || joint.type == "screw" ||
                       (joint.type == "cylindrical" && joint_count(model, body) == 1);
    if (turns && axis_now(system, k).cross(axis).norm() < direction_threshold) return true;
  }
  return false;
}

}  // namespace

std::vector<IdleSpin> find_idle_spins(const System& system, const Equations& eq) {
  std::vector<IdleSpin> spins;
  const Model& model = system.model();
  if (model.planar()) return spins;
  const Vector typical = typical_inertia(system);
  const SparseRows rows = dimensionless_rows(eq.P, typical);
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
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      idle &= !is_a_bearing(system, bodies[b], axis);
      const Vec3 moment = eq.Q.segment<3>(6 * bodies[b] + 3);
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
  const SparseRows rows = dimensionless_rows(eq.P, typical);
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

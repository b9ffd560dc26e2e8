#include "analyses/structure/joint_freedoms.h"

#include <algorithm>
#include <cmath>

#include "analyses/drives/driven_motion.h"
#include "linear/dense/dense.h"
#include "linear/sparse_ldlt.h"
#include "model/joint_type.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

/// M, regular also where bodies have no inertia.
SparseColumns metric(const System& system, const Equations& eq) {
  SparseColumns M = eq.M;
  const Vector shift = metric_part * typical_inertia(system);
  for (int k = 0; k < shift.size(); ++k) M.coeffRef(k, k) += shift[k];
  return M;
}

Vector gradient(System& system, const JointCoordinateId& id) {
  Vector g(system.velocity_size());
  signal_gradient(system, system.joint_coordinates()[id.joint][id.coordinate], g);
  return g;
}

bool is_grounded(const Model& model, const JointCoordinateId& id) {
  return model.joints[id.joint].i == ground || model.joints[id.joint].j == ground;
}

constexpr double grounded_merit = 4;  // motors stand on the ground where that is nearly as good

}  // namespace

std::vector<JointCoordinateId> joint_coordinate_ids(const System& system) {
  std::vector<JointCoordinateId> ids;
  for (std::size_t joint = 0; joint < system.joint_coordinates().size(); ++joint) {
    for (std::size_t k = 0; k < system.joint_coordinates()[joint].size(); ++k)
      ids.push_back({static_cast<int>(joint), static_cast<int>(k)});
  }
  return ids;
}

std::string coordinate_column(const Model& model, const JointCoordinateId& id) {
  const Joint& joint = model.joints[id.joint];
  return joint.name + "." + coordinate_names(*find_joint_type(joint.type), model.dimension)[id.coordinate];
}

std::string rate_column(const Model& model, const JointCoordinateId& id) {
  return model.joints[id.joint].name + (id.coordinate == 0 ? ".rate" : ".rate2");
}

bool is_angle(const Model& model, const JointCoordinateId& id) {
  return find_joint_type(model.joints[id.joint].type)->coordinates(model.dimension)[id.coordinate] ==
         JointCoordinate::angle;
}

std::string coordinate_label(const Model& model, const JointCoordinateId& id) {
  const Joint& joint = model.joints[id.joint];
  const bool only = find_joint_type(joint.type)->coordinates(model.dimension).size() == 1;
  return only ? joint.name : coordinate_column(model, id);
}

std::string enumeration(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return text;
}

JointFreedoms find_joint_freedoms(System& system, const Equations& eq, const Matrix& V,
                                  const std::vector<JointCoordinateId>& candidates) {
  JointFreedoms result;
  if (V.cols() == 0) return result;
  const SparseColumns M = metric(system, eq);
  const SparseLdlt mass(M);
  const Matrix reduced = V.transpose() * (M * V);
  // Orthonormal in the metric of M.
  Matrix U = cholesky_reduced(reduced, V.transpose()).transpose();
  std::vector<Vector> gradients;
  std::vector<double> squared;
  for (const JointCoordinateId& id : candidates) {
    gradients.push_back(gradient(system, id));
    squared.push_back(gradients.back().dot(mass.solution(gradients.back())));
  }
  int left = static_cast<int>(U.cols());
  while (left > 0) {
    int best = -1;
    double largest = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const double cosine = squared[k] > 0 ? (gradients[k].transpose() * U).squaredNorm() / squared[k] : 0;
      const double merit = cosine * (is_grounded(system.model(), candidates[k]) ? grounded_merit : 1);
      if (cosine > 1e-6 && merit > largest * (1 + 1e-9)) largest = merit, best = static_cast<int>(k);
    }
    if (best < 0) break;
    result.coordinates.push_back(candidates[best]);
    // What is left are the velocities that do not move the chosen coordinate.
    const Vector direction = (U.transpose() * gradients[best]).normalized();
    U -= U * direction * direction.transpose();
    --left;
  }
  std::sort(result.coordinates.begin(), result.coordinates.end());
  if (left == 0) return result;
  const int stride = system.model().planar() ? 3 : 6;
  const double length = system.model().characteristic_length();
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b) {
    double motion = 0;
    for (int k = 0; k < stride; ++k) {
      const int row = static_cast<int>(b) * stride + k;
      motion = std::max(motion, U.row(row).norm() * (system.coordinates().is_rotation(row) ? 1 : 1 / length));
    }
    if (motion > 1e-6 * U.cwiseAbs().maxCoeff()) result.idle.push_back(system.model().bodies[b].name);
  }
  return result;
}

std::pair<JointCoordinateId, double> strongest_coordinate(System& system, const Vector& force) {
  const double length = system.model().characteristic_length();
  Vector scale(force.size());
  for (int k = 0; k < scale.size(); ++k) scale[k] = system.coordinates().is_rotation(k) ? 1 : length;
  const Vector direction = force.cwiseProduct(scale).cwiseProduct(scale);
  std::pair<JointCoordinateId, double> best{{-1, 0}, 0};
  double largest = 0;
  for (const JointCoordinateId& id : joint_coordinate_ids(system)) {
    const Vector g = gradient(system, id);
    const double moved = g.dot(direction), cosine = std::abs(moved) / g.cwiseProduct(scale).norm();
    if (cosine > largest * (1 + 1e-9)) {
      largest = cosine;
      best = {id, force.dot(direction) / moved};
    }
  }
  return best;
}

}  // namespace bricard

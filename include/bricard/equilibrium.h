// Static equilibrium: positions at which nothing needs to move,
//   Q(q, v = 0, t = 0) - P^T lambda = 0,   Phi(q, t = 0) = 0,
// found by Newton's method, and by descent along the constraints where that fails or ends in an unstable one. Whether
// it is stable follows from the tangent stiffness on the null space of P; where forces have no potential, from the
// eigenvalues of the linearised motion.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/assembly.h"
#include "bricard/method.h"
#include "bricard/stability.h"

namespace bricard {

struct EquilibriumOptions {
  double tolerance = 1e-10;  // unbalanced force against a typical one, position error against a typical length
  bool stable = true;        // go on from unstable ones, to a stable one if it exists
  unsigned seed = 1;         // which way to leave unstable and singular positions
  double time_limit = unset, memory_limit = unset;  // s, MB; see check_dense()
};

struct StaticReaction {
  std::string joint;
  Vec3 place = Vec3::Zero();
  std::vector<std::string> components;  // fx .. mz, effort
  std::vector<double> values;
  std::vector<bool> unique;
};

struct DriveEffort {
  std::string motion;
  double effort = 0;
  bool unique = true;
};

struct JointPosition {
  std::string joint, name;
  double value = 0;
};

struct Equilibrium {
  bool ok = false;
  std::string failure;
  std::vector<std::string> messages;
  std::string how;                  // it was found
  int iterations = 0;               // of Newton's method and of the descent
  double residual = 0;              // relative, as the tolerance is
  std::vector<Displacement> moved;  // bodies, from where the model starts

  Vector q, lambda;  // coordinates `reference-point`
  std::vector<BodyState> bodies;
  std::vector<JointPosition> joint_positions;
  std::vector<StaticReaction> reactions;
  std::vector<DriveEffort> drives;
  double potential_energy = 0;

  int degrees_of_freedom = 0;
  bool statically_determinate = true;
  Stability stability = Stability::stable;
  bool stable = false;  // stability == stable
  /// Smallest stiffness against displacements within the constraints, N/m, rotations counted as arcs of the
  /// characteristic length. Not a number if nothing can move.
  double smallest_stiffness = 0;
  std::string softest;       // in which direction that is
  bool conservative = true;  // else the growth rate decides
  double growth = 0;         // largest real part of the eigenvalues, 1/s; not of conservative systems
};

/// A model that cannot be assembled, or has no equilibrium, is returned with ok = false and the reason.
Equilibrium find_equilibrium(const std::shared_ptr<const Model>& model, const EquilibriumOptions& options = {});

}  // namespace bricard

// States of self-stress: loads of the joints that hold each other in balance whatever the motion, P^T lambda = 0. What
// they change is not determined by the equations of motion.
//                              [Wojtyra 2005; Fraczek, Wojtyra 2011: solvability of reactions by the null space of P^T]
// Given in physical components, with blocks that do not depend on how the model is turned: the force and the moment of
// a joint along its axis and across it (both whole for joints without an axis), moments divided by a length.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "system/system.h"

namespace bricard {

struct StressBlock {
  enum class Kind { force, moment, effort };
  std::string name;  // joint or motion
  int joint = -1;    // of the model; -1: a motion
  Kind kind = Kind::effort;
  int number = 0;                                       // of an effort: which one of its joint
  Eigen::Matrix<double, 3, Eigen::Dynamic> directions;  // orthonormal; of an effort: empty
  int first = 0, size = 0;                              // rows of SelfStress::basis
};

struct SelfStress {
  std::vector<StressBlock> blocks;  // those that take part
  SparseRows basis;                 // columns of unit length, one row for each component of the blocks
  bool orthonormal = true;          // the columns; else they are many and sparse
  double length = 1;                // by which moments are divided

  int dimension() const { return static_cast<int>(basis.cols()); }
  /// The blocks of a joint; of all motions for -1.
  std::span<const StressBlock> of_joint(int joint) const;
  /// The states in which some blocks take part, ascending: among many states, each joint has its own few.
  void add_states(std::span<const StressBlock> some, std::vector<int>& states) const;
  /// What a block carries in these states.
  Matrix carried(const StressBlock& block, const std::vector<int>& states) const;
};

/// At the position at which the system was evaluated with `equations`. Moments are divided by the model's
/// characteristic length. The system must not absorb joints.
SelfStress find_self_stress(const System& system, const Equations& equations);

/// The same as multipliers of the rows: a basis of the null space of P^T.
SparseColumns balanced_multipliers(const System& system, const Equations& equations);

/// A joint's axis at the last evaluation; zero for types without one.
Vec3 axis_now(const System& system, int joint);
/// How a body is turned from the reference configuration.
Mat3 turned(const System& system, int body);

}  // namespace bricard

// A plain reference for whole mechanisms that shares nothing with the engine but the Model: constraints are written as
// functions of the bodies' poses, every derivative comes from Taylor arithmetic along a path, accelerations and
// reactions from one dense singular value decomposition, motions from the classical Runge-Kutta method with small
// steps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bricard/model.h"

namespace bricard::differential {

/// Where the bodies are and how they move. Planar bodies turn about z.
struct ReferenceState {
  double t = 0;
  std::vector<Vec3> place, velocity, spin;  // centres of mass; angular velocities in world axes
  std::vector<Quaternion> orientation;
  Vector bristles;  // of Dahl's friction, one for each coordinate that has it
};

/// Force and moment that body i exerts on j, as columns of results: "A.fx".
struct ReferenceReaction {
  std::string column;
  double value = 0;
  bool unique = true;
};

struct ReferenceAccelerations {
  std::vector<Vec3> linear, angular;
  Vector bristles;
  std::vector<ReferenceReaction> reactions;
  int rank = 0, rows = 0;
  double least_singular = 1;                        // smallest singular value that counts, relative to the largest
  double first_dropped = 0;                         // and the largest that does not
  double constraint_error = 0, velocity_error = 0;  // of the state, largest entries
  double loads = 0;                                 // largest reaction
};

class Reference {
 public:
  /// Throws std::runtime_error for what this reference does not know.
  explicit Reference(const Model& model);

  ReferenceAccelerations accelerations(const ReferenceState& state, bool reactions) const;
  /// The state after `duration`, by `steps` steps. Throws std::runtime_error where a motion is lost.
  ReferenceState advance(ReferenceState state, double duration, int steps) const;
  /// How far joint coordinates and rates are from what `initial:` asks for.
  double initial_error(const ReferenceState& state) const;
  int bristle_count() const;

 private:
  const Model& model_;
};

/// Differences of states: places and angles together, then velocities and spins.
struct StateDifference {
  double position = 0, velocity = 0;
};
StateDifference difference(const ReferenceState& a, const ReferenceState& b);

}  // namespace bricard::differential

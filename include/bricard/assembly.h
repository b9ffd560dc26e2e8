// Assembly: finds positions and velocities that satisfy every constraint and every given initial value.
// Positions are the ones nearest to the reference configuration in the metric of M, by damped Gauss-Newton with
// rank-revealing steps, so that redundant rows do not matter; an assembled model is left exactly as it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/body_state.h"

namespace bricard {

struct Model;

/// A joint, motion or initial value that could not be satisfied, and by how much.
struct OpenConstraint {
  std::string name;
  double error = 0;
};

struct Displacement {
  std::string body;
  double distance = 0;  // of the centre of mass, m
  double angle = 0;     // rad
};

struct Assembly {
  bool ok = false;
  Vector q, v;
  std::vector<BodyState> bodies;                  // what q and v are made of, if the coordinates follow from them
  double position_error = 0, velocity_error = 0;  // Euclidean norms of what is left
  std::vector<OpenConstraint> open;               // worst first; empty if ok
  std::vector<Displacement> moved;                // bodies that the assembly moved from the reference
  std::string message;                            // why it failed
};

/// At the start of a run in these coordinates (empty: as `auto` chooses). `seed` decides which way out of a singular
/// reference is tried. Throws InputError for coordinates that do not exist or do not fit.
Assembly assemble(const std::shared_ptr<const Model>& model, const std::string& coordinates = {}, unsigned seed = 1);

}  // namespace bricard

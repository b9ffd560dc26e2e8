// Motions of four mechanisms of one structure, in the lanes of vector registers: the equations of GraphMotion for packs
// of numbers. They are integrated in lock step, as one state: component k of lane l is number 4 k + l.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "linear/simd/pack.h"
#include "motions/graph_motion.h"

namespace bricard {

class PackMotion : public MotionEquations {
 public:
  /// Writes positions and velocities of one lane into a state, and reads them.
  virtual void pack(int lane, ConstVector q, ConstVector v, VectorRef x) const = 0;
  virtual void unpack(int lane, ConstVector x, VectorRef q, VectorRef v) const = 0;
  /// Puts a state (of dense output) on the constraints, as after_step() does.
  virtual StepChange correct(double t, VectorRef x) = 0;
  /// Of one lane at the last accepted state: energy, and the fastest rotation of a body.
  virtual double energy(int lane) const = 0;
  virtual double fastest_rotation() const = 0;
};

/// Why a system cannot be a lane; empty if it can. Redundant constraints cannot, either.
std::string pack_motion_misfit(const System& system);

/// `systems`: Pack::lanes of them. Null if their structures differ. Options `proximal` and `within_steps` do not apply.
std::unique_ptr<PackMotion> create_pack_motion(const std::vector<const System*>& systems,
                                               const GraphMotionOptions& options);

}  // namespace bricard

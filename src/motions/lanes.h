// Motions of four mechanisms of one structure, in the lanes of vector registers: the kernel of the engine `bodies` for
// packs of numbers. They are integrated in lock step, as one state: component k of lane l is number 4 k + l.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dynamics/feedback.h"
#include "linear/simd/pack.h"
#include "motions/motion_equations.h"
#include "system/system.h"

namespace bricard {

class Lanes : public MotionEquations {
 public:
  /// Writes positions and velocities of one lane into a state, and reads them; its states of friction and its work,
  /// which begin as zero, where there are any.
  virtual void pack(int lane, ConstVector q, ConstVector v, VectorRef x) const = 0;
  virtual void unpack(int lane, ConstVector x, VectorRef q, VectorRef v, VectorRef rest) const = 0;
  /// Puts a state (of dense output) on the constraints, as after_step() does.
  virtual StepChange correct(double t, VectorRef x) = 0;
  /// Of one lane at the last accepted state: energy less work, and the fastest rotation of a body.
  virtual double energy(int lane) const = 0;
  virtual double fastest_rotation() const = 0;
  /// Turns of joints are counted at every accepted state, because something acts that depends on them.
  virtual bool counts_turns() const = 0;
};

/// Why a system cannot be a lane; empty if it can.
std::string lanes_misfit(const System& system);

struct LanesOptions {
  bool projection = true;  // after each step
  Feedback feedback = {};  // by rows of the system
  int redundant = 0;       // rows that depend on others everywhere
};

/// `systems`: Pack::lanes of them; one that is repeated in the lanes behind it is evaluated once. Null if their
/// structures differ.
std::unique_ptr<Lanes> create_lanes(const std::vector<System*>& systems, const LanesOptions& options);

}  // namespace bricard

// What an integrator sees of a mechanism: x' = f(t, x) and what happens after a step. Nothing here is mechanics.
#pragma once

#include <span>
#include <string>

#include "bricard/types.h"
#include "system/status.h"

namespace bricard {

class ImplicitOperator;
class MechanismMotion;

/// A state on the way of an integrator, and its derivative.
struct StepPoint {
  double t;
  ConstVector x, xdot;
};

class MotionEquations {
 public:
  virtual ~MotionEquations() = default;
  virtual int size() const = 0;

  /// x' = f(t, x). Never throws; a recoverable failure asks the integrator for a smaller step.
  virtual Status derivative(double t, ConstVector x, VectorRef xdot) = 0;

  /// True if after_step() changes states, so that an integrator which cannot take the change must say so.
  virtual bool corrects_steps() const { return false; }
  /// Puts the end of a step that is still to be tested on the constraints. An integrator that calls this evaluates the
  /// derivative there next and gives the same x to after_step() if the step is accepted, which then finds it corrected.
  virtual StepChange correct_candidate(double t, VectorRef x) {
    (void)t, (void)x;
    return StepChange::none;
  }
  /// Called once for every accepted step; may change x.
  virtual StepChange after_step(double t, VectorRef x) {
    (void)t, (void)x;
    return StepChange::none;
  }

  /// Scale of component k in error norms: error_k <= tolerance * (scale_k + |x_k|). Infinite: not controlled.
  virtual void error_scales(VectorRef scales) const { scales.setOnes(); }

  /// State at t in the last step, from the states which the integrator has passed, two to four, the newest last: the
  /// ends of the last step, and of steps before it. The default is the Hermite polynomial through states and
  /// derivatives, which is of degree 3 to 7.
  virtual void interpolate(std::span<const StepPoint> points, double t, VectorRef x);

  /// What solves with I - gamma df/dx for implicit integrators; null if nothing serves the motion that starts at (t,
  /// x). Evaluates the derivative.
  virtual ImplicitOperator* implicit_operator(double t, ConstVector x) {
    (void)t, (void)x;
    return nullptr;
  }
  /// The mechanism, for integrators of the constrained equations themselves; null where there is none.
  virtual MechanismMotion* mechanism() { return nullptr; }

  /// Why the last derivative or correction failed, for the user.
  virtual std::string failure() const { return {}; }
};

}  // namespace bricard

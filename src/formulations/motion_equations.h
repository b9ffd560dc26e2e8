// What an integrator sees of a mechanism: x' = f(t, x) and what happens after a step. Nothing here is mechanics.
#pragma once

#include <string>

#include "model/types.h"

namespace bricard {

/// Outcome of a numerical operation. `failed` may succeed at another state (a smaller step); `fatal` will not.
enum class Status { ok, failed, fatal };

/// What happened to the state after a step.
enum class StepChange {
  none,       // as the integrator left it
  corrected,  // moved within its error (projection): a multistep method may go on
  replaced,   // a different meaning or a jump (new coordinates): a multistep method must restart
  failed,     // the state cannot be corrected: the step was too long
};

class MotionEquations {
 public:
  virtual ~MotionEquations() = default;
  virtual int size() const = 0;

  /// x' = f(t, x). Never throws; a recoverable failure asks the integrator for a smaller step.
  virtual Status derivative(double t, ConstVector x, VectorRef xdot) = 0;

  /// True if after_step() changes states, so that an integrator which cannot take the change must say so.
  virtual bool corrects_steps() const { return false; }
  /// Called once for every accepted step; may change x.
  virtual StepChange after_step(double t, VectorRef x) {
    (void)t, (void)x;
    return StepChange::none;
  }

  /// Scale of component k in error norms: error_k <= tolerance * (scale_k + |x_k|). Infinite: not controlled.
  virtual void error_scales(VectorRef scales) const { scales.setOnes(); }

  /// State at t in [t0, t1] from states and derivatives at both ends of a step and, if it is not null, the derivative
  /// at the state which this function gives without it in the middle. The default is the Hermite polynomial, cubic or
  /// quartic.
  virtual void interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1, ConstVector xdot1,
                           const Vector* xdot_middle, double t, VectorRef x);

  /// Why the last derivative or correction failed, for the user.
  virtual std::string failure() const { return {}; }
};

}  // namespace bricard

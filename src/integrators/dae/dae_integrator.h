// What the integrators of the constrained equations themselves share: the start, accepted steps, and output, which is
// put on the constraints. Their state is FullMotion's: (q, v, friction states, work).
#pragma once

#include <memory>
#include <string>

#include "dynamics/whole_projection.h"
#include "integrators/dae/dae_equations.h"
#include "integrators/integrator.h"
#include "integrators/multistep/sundials_support.h"
#include "motions/mechanism_motion.h"

namespace bricard {

class DaeIntegrator : public Integrator {
 public:
  DaeIntegrator(const char* name, System& system, const IntegratorOptions& options);
  Status start(MotionEquations& equations, double t, ConstVector x) final;
  Status step(double t_end) final;
  double time() const final { return time_; }
  ConstVector state() const final { return state_; }
  Status interpolate(double t, VectorRef x) final;
  IntegratorCounts counts() const final;
  std::string failure() const final { return failure_; }

 protected:
  /// At time_ and state_ with their derivative and multipliers; refuse() says why not.
  virtual Status begin(ConstVector xdot, ConstVector lambda) = 0;
  /// One accepted step of positive length, by accept().
  virtual Status advance(double t_end) = 0;
  /// A state within the last step, not yet put on the constraints.
  virtual bool interpolate_within(double t, VectorRef x) = 0;
  /// False where drift is to be seen as it is.
  virtual bool puts_outputs_on_constraints() const { return true; }

  /// Makes x, at a time within rounding of t_end or before, the end of the step. False if the motion refuses it.
  bool accept(double t, double t_end, Vector& x);
  /// Puts positions and velocities of x on the constraints.
  bool project(double t, VectorRef x);
  Status refuse(const std::string& reason);
  Status fail(double step, const std::string& cause, const std::string& advice);
  std::string motion_failure() const { return equations_.cause(); }
  MotionEquations& motion() { return equations_.equations(); }
  /// x' at a point off the steps, and its multipliers: as the motion finds them.
  Status derivative(double t, const Vector& x, Vector& xdot) { return equations_.derivative(t, x, xdot); }

  const char* name_;
  System& system_;
  IntegratorOptions options_;
  DaeEquations dae_;
  double time_ = 0, start_time_ = 0;
  Vector state_;
  IntegratorCounts counts_;

 private:
  sundials_support::RememberedEquations equations_;
  WholeProjection projection_;
  Vector xdot_;
  bool started_ = false;
  std::string failure_;
};

}  // namespace bricard

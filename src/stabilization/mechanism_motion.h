// A mechanism's motion as a state that an integrator advances: what every kind of state (dependent, independent, ...)
// shares, and what a run wants to know of it beside x' = f(t, x).
#pragma once

#include <string>

#include "formulations/motion_equations.h"
#include "system/system.h"

namespace bricard {

class MechanismMotion : public MotionEquations {
 public:
  explicit MechanismMotion(System& system);

  // --- states ---
  /// The state of positions and velocities that satisfy the constraints; friction at rest, no work done.
  virtual void pack(double t, ConstVector q, ConstVector v, VectorRef x) = 0;
  /// Positions and velocities of a state.
  virtual Status unpack(double t, ConstVector x, Vector& q, Vector& v) = 0;
  /// Internal states of friction.
  ConstVector friction_states(ConstVector x) const { return x.segment(size() - 1 - states_, states_); }
  /// What everything without a potential has done so far, J: the last component of every state.
  double work(ConstVector x) const { return x[size() - 1]; }

  /// Other coordinates where the present ones are near a singularity of their own; true if x has changed its meaning,
  /// so that the integrator must restart. Called between steps.
  virtual bool renew(double t, VectorRef x) = 0;
  /// Puts a state (of dense output) on the constraints, as after_step() does.
  virtual StepChange correct(double t, VectorRef x) {
    (void)t, (void)x;
    return StepChange::none;
  }
  /// Asks for more accuracy at more cost near a singular position. Says what is done from now on; empty if nothing can
  /// be.
  virtual std::string take_care() { return {}; }
  /// Keeps its branch near singular positions however short the steps are.
  virtual bool keeps_branch_in_short_steps() const { return false; }
  /// Takes a state as accepted: turns of joints are counted from it. False if they cannot be told.
  bool accept(double t, ConstVector x);

  std::string failure() const override { return failure_; }
  /// What there is to say of the run, one sentence or none.
  virtual std::string report() const { return {}; }

  // --- results of the last derivative() ---
  const Equations& equations() const { return eq_; }
  const Vector& positions() const { return q_; }
  const Vector& velocities() const { return v_; }
  const Vector& accelerations() const { return vdot_; }
  const Vector& multipliers() const { return lambda_; }
  /// Generalised forces of friction that depends on loads (all other friction is in the equations' Q).
  Vector friction_forces() const {
    return system_.friction_depends_on_load() ? Vector(Q_ - eq_.Q) : Vector(Vector::Zero(velocities_));
  }
  /// Energy minus work at the last accepted state: constant but for errors.
  double energy_balance() const { return energy_balance_; }

 protected:
  /// Scales of lengths and angles in error norms, for parts of a state that are q or v.
  void scale_positions(VectorRef scales) const;
  void scale_velocities(VectorRef scales) const;
  /// False, with the reason, if a force of the last evaluation is not a number.
  bool forces_are_finite();
  /// Friction that depends on multipliers: `solve(Q)` finds v' and lambda for a Q; repeated until friction and loads
  /// agree.
  template <class Solve>
  Status settle_friction(ConstVector states, const Solve& solve) {
    Status status = solve(eq_.Q);
    if (status != Status::ok || !system_.friction_depends_on_load()) return status;
    for (int iteration = 0; iteration < most_friction_iterations; ++iteration) {
      previous_lambda_ = lambda_;
      system_.add_friction(lambda_, states, eq_, Q_);
      status = solve(Q_);
      if (status != Status::ok || friction_has_settled(1e-13)) return status;
    }
    if (friction_has_settled(1e-9)) return Status::ok;  // as far as rounding lets it
    failure_ = "joint friction and joint loads do not settle: the friction is so large that the joint locks itself";
    return Status::failed;
  }

  System& system_;
  int positions_, velocities_, states_;
  Equations eq_;
  Vector q_, v_, vdot_, lambda_;
  std::string failure_;

 private:
  static constexpr int most_friction_iterations = 200;
  bool friction_has_settled(double tolerance) const;

  Vector previous_lambda_, Q_;
  Vector accepted_q_, accepted_v_;
  double energy_balance_ = 0;
};

}  // namespace bricard

// A mechanism's motion as a state that an integrator advances: what every kind of state (dependent, independent, ...)
// shares, and what a run wants to know of it beside x' = f(t, x).
#pragma once

#include <string>

#include "dynamics/friction_solver.h"
#include "motions/motion_equations.h"
#include "system/system.h"

namespace bricard {

class Exhibit;

class MechanismMotion : public MotionEquations {
 public:
  explicit MechanismMotion(System& system);
  MechanismMotion* mechanism() final { return this; }

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
  /// Changes of independent coordinates since the last call of which integrators need not know: x keeps its meaning.
  virtual long take_changes() { return 0; }
  /// Puts a state (of dense output) on the constraints, as after_step() does.
  virtual StepChange correct(double t, VectorRef x) {
    (void)t, (void)x;
    return StepChange::none;
  }
  /// Keeps its branch near singular positions however short the steps are.
  virtual bool keeps_branch_in_short_steps() const { return false; }
  /// Takes a state as accepted: turns of joints are counted from it. False if they cannot be told.
  virtual bool accept(double t, ConstVector x) = 0;
  /// A switch of an expression has changed its branch: nothing that is remembered of the last instant holds any more.
  virtual void forget_instant() {}
  /// The derivative, with everything filled that results are made of: the system's evaluation, and what is below.
  virtual Status observe(double t, ConstVector x, VectorRef xdot) { return derivative(t, x, xdot); }

  std::string failure() const override { return failure_; }
  /// What there is to say of the run, one sentence or none.
  virtual std::string report() const { return {}; }

  // --- results of the last derivative() ---
  /// Its own matrices and vectors, for people to look at.
  virtual void show(Exhibit& exhibit) { (void)exhibit; }
  virtual const Equations& equations() const = 0;
  const Vector& positions() const { return q_; }
  const Vector& velocities() const { return v_; }
  const Vector& accelerations() const { return vdot_; }
  const Vector& multipliers() const { return lambda_; }
  /// Generalised forces of friction that depends on loads (all other friction is in the equations' Q).
  virtual Vector friction_forces() const = 0;
  /// Energy minus work at the last accepted state: constant but for errors.
  double energy_balance() const { return energy_balance_; }

 protected:
  /// Scales of lengths and angles in error norms, for parts of a state that are q or v.
  void scale_positions(VectorRef scales) const;
  void scale_velocities(VectorRef scales) const;

  System& system_;
  int positions_, velocities_, states_;
  Vector q_, v_, vdot_, lambda_;
  std::string failure_;
  double energy_balance_ = 0;
};

/// A motion whose state is found from M and P of the whole system, as the papers' algebra has it.
class MatrixMotion : public MechanismMotion {
 public:
  explicit MatrixMotion(System& system);
  const Equations& equations() const override { return eq_; }
  Vector friction_forces() const override;
  bool accept(double t, ConstVector x) override;

 protected:
  /// False, with the reason, if a force of the last evaluation is not a number.
  bool forces_are_finite();
  /// `solve(Q)` finds v' and lambda for a Q, with friction that depends on them.
  template <class Solve>
  Status settle_friction(ConstVector states, const Solve& solve) {
    const std::string before = failure_;
    const Status status = friction_.settle(eq_, states, lambda_, solve);
    if (status != Status::ok && failure_ == before && !friction_.failure().empty()) failure_ = friction_.failure();
    return status;
  }

  Equations eq_;

 private:
  FrictionSolver friction_;
  Vector accepted_q_, accepted_v_;
};

}  // namespace bricard

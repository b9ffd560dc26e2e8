// A mechanism's motion as a state that an integrator advances: what every kind of state (dependent, independent, ...)
// shares, and what a run wants to know of it beside x' = f(t, x).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "motions/friction_loads.h"
#include "motions/motion_equations.h"
#include "system/system.h"

namespace bricard {

/// Whether a motion's equations have M and P.
enum class Matrices { whole, none };

class MechanismMotion : public MotionEquations {
 public:
  explicit MechanismMotion(System& system, Matrices matrices = Matrices::whole);

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
  virtual bool accept(double t, ConstVector x);
  /// A switch of an expression has changed its branch: nothing that is remembered of the last instant holds any more.
  virtual void forget_instant() {}
  /// The derivative, with everything filled that results are made of: the system's evaluation, and what is below.
  virtual Status observe(double t, ConstVector x, VectorRef xdot) { return derivative(t, x, xdot); }

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
  /// agree. Where that does not converge the loads are found directly.
  template <class Solve>
  Status settle_friction(ConstVector states, const Solve& solve) {
    Status status = solve(eq_.Q);
    if (status != Status::ok || !system_.friction_depends_on_load()) return status;
    for (int iteration = 0; !finds_loads_directly_ && iteration < most_friction_iterations; ++iteration) {
      previous_lambda_ = lambda_;
      system_.add_friction(lambda_, states, eq_, Q_);
      status = solve(Q_);
      if (status != Status::ok) break;
      if (friction_has_settled(1e-13)) return Status::ok;
    }
    if (!finds_loads_directly_ && status == Status::ok && friction_has_settled(1e-9))
      return Status::ok;  // as far as rounding lets it
    finds_loads_directly_ = true;
    return solve_with_loads(states, solve);
  }

  System& system_;
  int positions_, velocities_, states_;
  Equations eq_;
  Vector q_, v_, vdot_, lambda_;
  std::string failure_;

  double energy_balance_ = 0;

 private:
  static constexpr int most_friction_iterations = 40;
  bool friction_has_settled(double tolerance) const;

  template <class Solve>
  Status solve_with_loads(ConstVector states, const Solve& solve) {
    loads_.setZero();
    system_.add_friction_of_loads(loads_, states, eq_, Q_);
    if (solve(Q_) != Status::ok) return Status::failed;
    find_reactions(friction_loads_.free());
    const double unit = std::max(friction_loads_.free().lpNorm<Eigen::Infinity>(), 1e-12);
    for (int k = 0; k < friction_loads_.size(); ++k) {
      loads_.setZero();
      loads_[loaded_joints_[k]] = unit;
      system_.add_friction_of_loads(loads_, states, eq_, Q_);
      if (solve(Q_) != Status::ok) return Status::failed;
      find_reactions(friction_loads_.per_load().col(k));
      friction_loads_.per_load().col(k) = (friction_loads_.per_load().col(k) - friction_loads_.free()) / unit;
    }
    const bool found = friction_loads_.solve();
    loads_.setZero();
    for (int k = 0; k < friction_loads_.size(); ++k) loads_[loaded_joints_[k]] = friction_loads_.loads()[k];
    if (!found) return jams(loaded_joints_[friction_loads_.jammed()]);
    system_.add_friction_of_loads(loads_, states, eq_, Q_);
    return solve(Q_);
  }
  /// Reaction forces of the joints whose friction depends on them.
  void find_reactions(VectorRef forces) const;
  Status jams(int joint);

  Vector previous_lambda_, Q_, loads_;
  std::vector<int> loaded_joints_;
  FrictionLoads friction_loads_;
  bool finds_loads_directly_ = false;
  Vector accepted_q_, accepted_v_;
};

}  // namespace bricard

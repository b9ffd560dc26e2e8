// Where accelerations come from: an engine solves
//   [M P^T; P 0] [x; y] = [f; g]
// at an instant of one System, with f, g = Q, gamma for accelerations and multipliers, 0, -Phi and 0, -Phi' for the
// projection onto the constraints. The interface names the task: none of the fast engines forms f or g, and the general
// solve() is its cold path. One virtual call an evaluation; what follows is the engine's own, in its own order of rows.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "dynamics/feedback.h"
#include "formulations/formulation.h"
#include "system/status.h"
#include "system/system.h"

namespace bricard {

/// Views: Eigen's references would cost as much as the call.
struct Instant {
  using View = Eigen::Map<const Vector>;
  Instant(double time, const double* positions, int position_size, const double* velocities, int velocity_size,
          const double* states, int state_size)
      : t(time), q(positions, position_size), v(velocities, velocity_size), s(states, state_size) {}
  template <class Q, class V, class S>
  Instant(double time, const Q& positions, const V& velocities, const S& states)
      : Instant(time, positions.data(), static_cast<int>(positions.size()), velocities.data(),
                static_cast<int>(velocities.size()), states.data(), static_cast<int>(states.size())) {}

  double t;
  View q, v, s;  // s: internal states of friction
};

class Dynamics {
 public:
  virtual ~Dynamics() = default;

  /// q' and v', f and g being Q and gamma with feedback; without friction that depends on loads, which FrictionSolver
  /// adds by solve().
  virtual Status accelerate(const Instant& at, VectorRef qdot, VectorRef vdot) = 0;
  /// The same, with the System evaluated fully for a row of results, and multipliers of least norm.
  virtual Status observe(const Instant& at, VectorRef qdot, VectorRef vdot) = 0;
  /// Puts (q, v) on the constraints, in the metric of M. accelerate() there reuses its factors.
  virtual StepChange project(double t, VectorRef q, VectorRef v) = 0;
  /// x and y for any f and g, at the instant of the last accelerate().
  virtual Status solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y) = 0;

  /// Of the last accelerate(), in the System's order of rows.
  virtual const Vector& multipliers() = 0;
  /// Of everything without a potential at the last accelerate().
  virtual double power() const = 0;
  /// The same with other multipliers, where friction that depends on them has been settled since.
  virtual double power(double t, ConstVector lambda) const {
    (void)t;
    return system_.nonconservative_power(eq_, lambda);
  }
  /// Takes an instant as accepted: turns of joints are counted from it, dependent rows may be chosen anew. False if
  /// turns cannot be told.
  virtual bool accept(const Instant& at) = 0;
  /// Kinetic and potential, at the last accept().
  virtual double energy() const = 0;
  /// Other gains from now on, between steps. Only an engine that was made with gains, of value zero if need be, takes
  /// any.
  virtual void set_feedback(const Feedback& feedback) = 0;
  /// Nothing that is remembered of the last instant holds any more.
  virtual void forget() {}

  /// Vectors of the System at the last accelerate(), as far as the engine asks for them; all of them at the last
  /// observe().
  const Equations& equations() const { return eq_; }
  const std::string& failure() const { return failure_; }
  /// What there is to say of the run, one sentence or none.
  virtual std::string report() const { return {}; }
  /// The matrices of the last accelerate(), where there are any, for people to look at.
  virtual void show(Exhibit& exhibit) { (void)exhibit; }

 protected:
  Dynamics(System& system, Equations equations) : system_(system), eq_(std::move(equations)) {}
  Status fail(std::string reason) {
    failure_ = std::move(reason);
    return Status::failed;
  }
  /// False, with the reason, if a force of the last evaluation is not a number.
  bool forces_are_finite();
  Status fail_not_finite();

  System& system_;
  Equations eq_;
  std::string failure_;
};

struct DynamicsOptions {
  Feedback feedback = {};  // by rows of the System
  bool projects = true;    // states are projected after each step
  int redundant = 0;       // rows that depend on others everywhere
  bool proximal = false;   // multipliers are refined, nothing is left out
  Vector q = {}, v = {};   // where it starts: the System knows there on which turns its joints are
  const FormulationType* formulation = nullptr;  // of `whole`
  FormulationOptions of_formulation = {};
};

struct DynamicsType {
  const char* name;
  const char* description;
  /// Which formulations' equations it has, for a refusal; null: any.
  const char* equations;
  /// Why it cannot serve a system; empty if it can. `redundant`: as in the options.
  std::string (*misfit)(const System& system, int redundant);
  /// What it is, and its size: "bodies over the joint graph, 31 blocks".
  std::string (*describe)(const System& system, const FormulationType& formulation);
  std::unique_ptr<Dynamics> (*create)(System& system, const DynamicsOptions& options);
};

/// All engines, in the order of dynamics.def.
const std::deque<DynamicsType>& dynamics_types();
const DynamicsType* find_dynamics_type(const std::string& name);

}  // namespace bricard

// The constrained equations as implicit integrators solve them: residuals for given accelerations and multipliers,
//   r = M(q) v' + P(q, t)^T lambda - Q(t, q, v, s, lambda),   Phi(q, t),   Phi_dot = P v + Phi_t,
// s being internal states of friction and Q including the friction that depends on the joints' loads.
#pragma once

#include <string>
#include <vector>

#include "system/system.h"

namespace bricard {

class DaeEquations {
 public:
  explicit DaeEquations(System& system);

  System& system() { return system_; }
  const Coordinates& coordinates() const { return system_.coordinates(); }
  int positions() const { return positions_; }
  int velocities() const { return velocities_; }
  int states() const { return states_; }
  int rows() const { return rows_; }
  bool is_velocity_level(int row) const { return system_.rows()[row].velocity_level; }

  /// Everything at one instant; nothing is done if that is the instant of the last call. False if a force is not a
  /// number there.
  bool evaluate(double t, ConstVector q, ConstVector v, ConstVector states);
  /// As far as state_rates() needs it.
  void evaluate_velocities(double t, ConstVector q, ConstVector v);
  /// The system has been evaluated by others.
  void forget() { known_ = false; }

  // --- of the last evaluation ---
  const Equations& values() const { return eq_; }
  void residual(ConstVector vdot, ConstVector lambda, ConstVector states, VectorRef r);
  /// P v + Phi_t, also for other velocities than those of the evaluation.
  void velocity_errors(ConstVector v, VectorRef errors) const;
  void state_rates(ConstVector lambda, ConstVector states, VectorRef rates);
  double power(ConstVector lambda) const { return system_.nonconservative_power(eq_, lambda); }
  /// Generalised forces of load-dependent friction, as they depend on the multipliers.
  void friction(ConstVector lambda, ConstVector states, VectorRef Q) { system_.add_friction(lambda, states, eq_, Q); }

  long evaluations() const { return evaluations_; }
  std::string failure() const;

 private:
  System& system_;
  int positions_, velocities_, states_, rows_;
  Equations eq_;
  Vector Q_, no_states_;
  Vector q_, v_, s_;  // of the last evaluation
  bool known_ = false;
  long evaluations_ = 0;
};

}  // namespace bricard

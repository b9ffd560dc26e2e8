#include "integrators/dae/dae_equations.h"

namespace bricard {

DaeEquations::DaeEquations(System& system)
    : system_(system),
      positions_(system.position_size()),
      velocities_(system.velocity_size()),
      states_(system.state_size()),
      rows_(system.row_count()),
      eq_(system.empty_equations()),
      Q_(velocities_),
      no_states_(Vector::Zero(states_)),
      q_(Vector::Zero(positions_)),
      v_(Vector::Zero(velocities_)),
      s_(Vector::Zero(states_)) {}

bool DaeEquations::evaluate(double t, ConstVector q, ConstVector v, ConstVector states) {
  if (known_ && t == eq_.t && q == q_ && v == v_ && states == s_) return eq_.Q.allFinite();
  ++evaluations_;
  q_ = q, v_ = v, s_ = states;
  system_.evaluate(t, q_, v_, s_, Upto::dynamics, eq_);
  known_ = true;
  return eq_.Q.allFinite();
}

void DaeEquations::evaluate_velocities(double t, ConstVector q, ConstVector v) {
  ++evaluations_;
  known_ = false;
  system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
}

void DaeEquations::residual(ConstVector vdot, ConstVector lambda, ConstVector states, VectorRef r) {
  system_.add_friction(lambda, states, eq_, Q_);
  r.noalias() = eq_.M * vdot;
  r.noalias() += eq_.P.transpose() * lambda;
  r -= Q_;
}

void DaeEquations::velocity_errors(ConstVector v, VectorRef errors) const {
  errors.noalias() = eq_.P * v;
  errors += eq_.Phi_t;
}

void DaeEquations::state_rates(ConstVector lambda, ConstVector states, VectorRef rates) {
  if (states_ > 0) system_.state_rates(lambda, states, rates);
}

std::string DaeEquations::failure() const {
  const std::string name = system_.force_without_value();
  return name.empty() ? "a generalised force is not a number" : "force " + name + " is not a number";
}

}  // namespace bricard

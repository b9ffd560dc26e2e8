#include "motions/dependent_motion.h"

namespace bricard {

DependentMotion::DependentMotion(System& system, std::unique_ptr<Formulation> formulation,
                                 std::unique_ptr<Stabilization> stabilization, CorrectionTimes times, Upto upto,
                                 Matrices matrices)
    : DependentState(system, matrices),
      formulation_(std::move(formulation)),
      nonideal_(dynamic_cast<NonidealForces*>(formulation_.get())),
      stabilization_(std::move(stabilization)),
      times_(times),
      upto_(upto),
      gamma_(system.row_count()),
      C_(velocities_),
      corrected_(positions_ + velocities_) {}

Status DependentMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  const auto states = x.segment(positions_ + velocities_, states_);
  q_ = x.head(positions_);
  v_ = x.segment(positions_, velocities_);
  if (times_ == CorrectionTimes::steps_and_derivatives && stabilization_->correct(t, q_, v_) == StepChange::failed) {
    failure_ = stabilization_->failure();
    return Status::failed;
  }
  system_.evaluate(t, q_, v_, states, upto_, eq_);
  if (!forces_are_finite()) return Status::failed;
  gamma_ = eq_.gamma;
  feedback().apply(eq_, gamma_);
  Status status = formulation_->factorize(eq_);
  if (status == Status::ok) {
    failure_ = "the accelerations are not finite";
    status = settle_friction(states, [this](const Vector& Q) { return solve(Q); });
  } else {
    failure_ = formulation_->failure();
  }
  if (status != Status::ok) return status;

  system_.coordinates().position_rate(q_, v_, xdot.head(positions_));
  xdot.segment(positions_, velocities_) = vdot_;
  if (states_ > 0) system_.state_rates(lambda_, states, xdot.segment(positions_ + velocities_, states_));
  xdot[size() - 1] = system_.nonconservative_power(eq_, lambda_);
  return Status::ok;
}

Status DependentMotion::solve(const Vector& Q) {
  if (!nonideal_) return formulation_->solve(Q, gamma_, vdot_, lambda_);
  C_ = Q - eq_.Q;  // of friction that depends on loads
  return nonideal_->solve_nonideal(eq_.Q, C_, gamma_, vdot_, lambda_);
}

StepChange DependentMotion::correct_candidate(double t, VectorRef x) {
  const StepChange change = correct(t, x);
  is_corrected_ = change != StepChange::failed;
  corrected_time_ = t;
  corrected_ = x.head(positions_ + velocities_);
  return change;
}

StepChange DependentMotion::after_step(double t, VectorRef x) {
  StepChange change = StepChange::none;
  const bool corrected = is_corrected_ && t == corrected_time_ && corrected_ == x.head(positions_ + velocities_);
  is_corrected_ = false;
  if (!corrected) change = correct(t, x);
  if (change == StepChange::failed) return change;
  return accept(t, x) ? change : StepChange::failed;
}

StepChange DependentMotion::correct(double t, VectorRef x) {
  if (!stabilization_->corrects()) return StepChange::none;
  const StepChange change = stabilization_->correct(t, x.head(positions_), x.segment(positions_, velocities_));
  if (change == StepChange::failed) failure_ = stabilization_->failure();
  return change;
}

std::string DependentMotion::take_care() {
  if (!stabilization_->corrects()) return {};
  if (times_ == CorrectionTimes::steps) {
    times_ = CorrectionTimes::steps_and_derivatives;
    return "states are also corrected within steps";
  }
  if (!fallback_) return {};
  formulation_ = std::move(fallback_);
  nonideal_ = dynamic_cast<NonidealForces*>(formulation_.get());
  upto_ = Upto::dynamics;
  return "accelerations are found by lagrange-pseudoinverse";
}

ImplicitOperator* DependentMotion::implicit_operator(double t, ConstVector x) {
  // A derivative at a corrected state has other derivatives.
  if (times_ == CorrectionTimes::steps_and_derivatives) return nullptr;
  if (!operator_) operator_ = std::make_unique<NewtonOperator>(*this, system_, feedback());
  return operator_->serves(t, x) ? operator_.get() : nullptr;
}

std::string DependentMotion::report() const {
  const std::string of_formulation = formulation_->report(), of_stabilization = stabilization_->report();
  return of_formulation + (of_formulation.empty() || of_stabilization.empty() ? "" : "; ") + of_stabilization;
}

}  // namespace bricard

#include "stabilization/dependent_motion.h"

#include <limits>

#include "formulations/hermite.h"

namespace bricard {

DependentMotion::DependentMotion(System& system, std::unique_ptr<Formulation> formulation,
                                 std::unique_ptr<Stabilization> stabilization, CorrectionTimes times, Upto upto)
    : MechanismMotion(system),
      formulation_(std::move(formulation)),
      nonideal_(dynamic_cast<NonidealForces*>(formulation_.get())),
      stabilization_(std::move(stabilization)),
      times_(times),
      upto_(upto),
      gamma_(system.row_count()),
      C_(velocities_),
      qddot0_(positions_),
      qddot1_(positions_),
      qddot_middle_(positions_),
      qdot_(positions_),
      q_at_(positions_),
      v_at_(velocities_) {}

void DependentMotion::pack(double, ConstVector q, ConstVector v, VectorRef x) {
  x.setZero();
  x.head(positions_) = q;
  x.segment(positions_, velocities_) = v;
}

Status DependentMotion::unpack(double, ConstVector x, Vector& q, Vector& v) {
  q = x.head(positions_);
  v = x.segment(positions_, velocities_);
  return Status::ok;
}

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
  stabilization_->adjust(eq_, gamma_);
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

StepChange DependentMotion::after_step(double t, VectorRef x) {
  StepChange change = StepChange::none;
  if (corrects_steps()) change = correct(t, x);
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

bool DependentMotion::renew(double, VectorRef x) {
  return system_.coordinates().rebase(x.head(positions_), x.segment(positions_, velocities_));
}

std::string DependentMotion::report() const {
  const std::string of_formulation = formulation_->report(), of_stabilization = stabilization_->report();
  return of_formulation + (of_formulation.empty() || of_stabilization.empty() ? "" : "; ") + of_stabilization;
}

void DependentMotion::error_scales(VectorRef scales) const {
  scales.setOnes();
  scale_positions(scales.head(positions_));
  scale_velocities(scales.segment(positions_, velocities_));
  scales[size() - 1] = std::numeric_limits<double>::infinity();
}

// Positions by the quintic Hermite polynomial through q, q', q'' at both ends, velocities from its derivative: no
// evaluation is needed, and the error is of the order of a fifth-order method's. With q'' in the middle too, one order
// more.
void DependentMotion::interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1,
                                  ConstVector xdot1, const Vector* xdot_middle, double t, VectorRef x) {
  MotionEquations::interpolate(t0, x0, xdot0, t1, x1, xdot1, xdot_middle, t, x);
  const Coordinates& coordinates = system_.coordinates();
  const auto position = [&](const ConstVector& y) { return y.head(positions_); };
  const auto velocity = [&](const ConstVector& y) { return y.segment(positions_, velocities_); };
  coordinates.position_acceleration(position(x0), velocity(x0), velocity(xdot0), qddot0_);
  coordinates.position_acceleration(position(x1), velocity(x1), velocity(xdot1), qddot1_);
  const HermiteEnds ends{t1 - t0, position(x0), position(xdot0), qddot0_, position(x1), position(xdot1), qddot1_};
  const double s = ends.h != 0 ? (t - t0) / ends.h : 0;
  if (xdot_middle) {
    quintic(ends, 0.5, q_at_, qdot_);
    coordinates.velocity_from_rate(q_at_, qdot_, v_at_);
    coordinates.position_acceleration(q_at_, v_at_, velocity(*xdot_middle), qddot_middle_);
  }
  quintic(ends, s, q_at_, qdot_);
  if (xdot_middle) add_middle(ends, qddot_middle_, s, q_at_, qdot_);
  x.head(positions_) = q_at_;
  coordinates.velocity_from_rate(q_at_, qdot_, x.segment(positions_, velocities_));
}

}  // namespace bricard

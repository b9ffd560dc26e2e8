#include "motions/carried_motion.h"

#include "motions/hermite.h"
#include "motions/work_scale.h"

namespace bricard {

void CarriedMotion::pack(double t, ConstVector q, ConstVector v, VectorRef x) {
  reduced_.resize(2 * freedoms() + states_ + 1);
  IndependentMotion::pack(t, q, v, reduced_);
  x.setZero();
  x.head(velocities_) = q;
  x.segment(velocities_, velocities_) = v;
}

Status CarriedMotion::unpack(double t, ConstVector x, Vector& q, Vector& v) {
  guess_ = x.head(velocities_);
  reduced_.head(freedoms()).noalias() = partition_.B() * x.head(velocities_);
  reduced_.segment(freedoms(), freedoms()).noalias() = partition_.B() * x.segment(velocities_, velocities_);
  reduced_.tail(states_ + 1) = x.tail(states_ + 1);
  return IndependentMotion::unpack(t, reduced_, q, v);
}

Status CarriedMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  const auto states = x.segment(2 * velocities_, states_);
  if (unpack(t, x, q_, v_) != Status::ok) return Status::failed;
  system_.evaluate(t, q_, v_, states, Upto::dynamics, eq_);
  const Status status = find_accelerations(states);
  if (status != Status::ok) return status;
  xdot.head(velocities_) = v_;
  xdot.segment(velocities_, velocities_) = vdot_;
  if (states_ > 0) system_.state_rates(lambda_, states, xdot.segment(2 * velocities_, states_));
  xdot[size() - 1] = system_.nonconservative_power(eq_, lambda_);
  return Status::ok;
}

StepChange CarriedMotion::correct(double t, VectorRef x) {
  if (unpack(t, x, q_, v_) != Status::ok) return StepChange::failed;
  x.head(velocities_) = q_;
  x.segment(velocities_, velocities_) = v_;
  return StepChange::corrected;
}

StepChange CarriedMotion::correct_candidate(double t, VectorRef x) {
  const StepChange change = correct(t, x);
  corrected_.forget();
  if (change != StepChange::failed) corrected_.set(t, x.head(velocities_), x.segment(velocities_, velocities_));
  return change;
}

StepChange CarriedMotion::after_step(double t, VectorRef x) {
  StepChange change = StepChange::none;
  if (!corrected_.is(t, x.head(velocities_), x.segment(velocities_, velocities_))) change = correct(t, x);
  corrected_.forget();
  return change != StepChange::failed && accept(t, x) ? change : StepChange::failed;
}

bool CarriedMotion::renew(double t, VectorRef x) {
  q_ = x.head(velocities_), v_ = x.segment(velocities_, velocities_);  // on the constraints since after_step()
  eq_.t = t;
  if (!system_.coordinates().rebase(q_, v_)) {
    changes_ += choose_again();
    return false;
  }
  system_.evaluate(t, q_, v_, x.segment(2 * velocities_, states_), Upto::dynamics, eq_);
  partition_.choose(eq_, freedoms());
  const Vector rest = x.tail(states_ + 1);
  pack(t, q_, v_, x);
  x.tail(states_ + 1) = rest;
  return true;
}

void CarriedMotion::error_scales(VectorRef scales) const {
  scales.setOnes();
  scale_positions(scales.head(velocities_));
  scale_velocities(scales.segment(velocities_, velocities_));
  scales[size() - 1] = work_scale(system_.model());
}

void CarriedMotion::interpolate(std::span<const StepPoint> points, double t, VectorRef x) {
  // Not the one between, which knows its own state. NOLINTNEXTLINE(bugprone-parent-virtual-call)
  MotionEquations::interpolate(points, t, x);
  interpolate_with_rates(points, velocities_, t, x);
}

}  // namespace bricard

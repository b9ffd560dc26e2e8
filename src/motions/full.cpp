#include "motions/full.h"

#include <algorithm>
#include <limits>

#include "motions/create_motion.h"
#include "motions/hermite.h"

namespace bricard {

FullMotion::FullMotion(System& system, std::unique_ptr<Dynamics> dynamics, std::unique_ptr<Stabilization> stabilization,
                       CorrectionTimes times, bool dependent_rows)
    : MechanismMotion(system),
      dynamics_(std::move(dynamics)),
      stabilization_(std::move(stabilization)),
      friction_(system),
      times_(times),
      dependent_rows_(dependent_rows),
      corrected_(positions_ + velocities_),
      within_(times == CorrectionTimes::steps_and_derivatives ? size() : 0),
      zero_rows_(Vector::Zero(friction_.is_needed() ? system.row_count() : 0)) {
  if (!friction_.is_needed()) return;
  increment_.resize(velocities_);
  lambda_increment_.resize(system.row_count());
}

template <auto how>
Status FullMotion::evaluate(double t, const ConstVector& x, VectorRef& xdot) {
  if (within_.size() == 0) return evaluate_at<how>(t, x.data(), xdot);
  within_ = x;
  if (correct(t, within_) == StepChange::failed) return Status::failed;
  return evaluate_at<how>(t, within_.data(), xdot);
}

template <auto how>
Status FullMotion::evaluate_at(double t, const double* x, VectorRef& xdot) {
  const Instant at(t, x, positions_, x + positions_, velocities_, x + positions_ + velocities_, states_);
  if (((*dynamics_).*how)(at, xdot.head(positions_), xdot.segment(positions_, velocities_)) != Status::ok) {
    failure_ = dynamics_->failure();
    return Status::failed;
  }
  if (friction_.is_needed() || states_ > 0) return add_friction(at, xdot);
  xdot[size() - 1] = dynamics_->power();
  return Status::ok;
}

Status FullMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  return evaluate<&Dynamics::accelerate>(t, x, xdot);
}

Status FullMotion::observe(double t, ConstVector x, VectorRef xdot) {
  const Status status = evaluate<&Dynamics::observe>(t, x, xdot);
  if (status != Status::ok) return status;
  const double *const at = within_.size() > 0 ? within_.data() : x.data(), *const rate = xdot.data();
  std::copy_n(at, positions_, q_.data());
  std::copy_n(at + positions_, velocities_, v_.data());
  std::copy_n(rate + positions_, velocities_, vdot_.data());
  if (!friction_.is_needed()) lambda_ = dynamics_->multipliers();
  return status;
}

Status FullMotion::add_friction(const Instant& at, VectorRef& xdot) {
  lambda_ = dynamics_->multipliers();
  auto vdot = xdot.segment(positions_, velocities_);
  if (friction_.is_needed()) {
    const Equations& eq = dynamics_->equations();
    free_vdot_ = vdot;
    free_lambda_ = lambda_;
    failure_.clear();
    // By linearity, from the accelerations without it.
    const Status status = friction_.settle(eq, at.s, lambda_, [&](const Vector& Q) {
      added_ = Q - eq.Q;
      const Status solved = dynamics_->solve(added_, zero_rows_, increment_, lambda_increment_);
      if (solved != Status::ok) failure_ = dynamics_->failure();
      vdot = free_vdot_ + increment_;
      lambda_ = free_lambda_ + lambda_increment_;
      return solved;
    });
    if (status != Status::ok) {
      if (!friction_.failure().empty()) failure_ = friction_.failure();
      return status;
    }
    xdot[size() - 1] = dynamics_->power(at.t, lambda_);
  } else {
    xdot[size() - 1] = dynamics_->power();
  }
  if (states_ > 0) system_.state_rates(lambda_, at.s, xdot.segment(positions_ + velocities_, states_));
  return Status::ok;
}

Vector FullMotion::friction_forces() const {
  return friction_.is_needed() ? Vector(friction_.Q() - equations().Q) : Vector(Vector::Zero(velocities_));
}

StepChange FullMotion::correct(double t, VectorRef x) {
  if (!corrects_steps()) return StepChange::none;
  const StepChange change =
      stabilization_->correct(*dynamics_, t, x.head(positions_), x.segment(positions_, velocities_));
  if (change == StepChange::failed) failure_ = stabilization_->failure();
  return change;
}

StepChange FullMotion::correct_candidate(double t, VectorRef x) {
  const StepChange change = correct(t, x);
  corrected_.forget();
  if (change != StepChange::failed) corrected_.set(t, x.head(positions_), x.segment(positions_, velocities_));
  return change;
}

StepChange FullMotion::after_step(double t, VectorRef x) {
  StepChange change = StepChange::none;
  if (!corrected_.is(t, x.head(positions_), x.segment(positions_, velocities_))) change = correct(t, x);
  corrected_.forget();
  if (change == StepChange::failed || !accept(t, x)) return StepChange::failed;
  const StepChange of_gains = stabilization_->renew_feedback(t, x.head(positions_), x.segment(positions_, velocities_));
  if (of_gains == StepChange::none) return change;
  dynamics_->set_feedback(stabilization_->feedback());
  return change == StepChange::replaced ? change : of_gains;
}

bool FullMotion::accept(double t, ConstVector x) {
  if (!dynamics_->accept({t, x.data(), positions_, x.data() + positions_, velocities_,
                          x.data() + positions_ + velocities_, states_})) {
    failure_ = dynamics_->failure();
    return false;
  }
  energy_balance_ = dynamics_->energy() - work(x);
  return true;
}

void FullMotion::pack(double, ConstVector q, ConstVector v, VectorRef x) {
  x.setZero();
  x.head(positions_) = q;
  x.segment(positions_, velocities_) = v;
}

Status FullMotion::unpack(double, ConstVector x, Vector& q, Vector& v) {
  q = x.head(positions_);
  v = x.segment(positions_, velocities_);
  return Status::ok;
}

bool FullMotion::renew(double, VectorRef x) {
  return system_.coordinates().rebase(x.head(positions_), x.segment(positions_, velocities_));
}

void FullMotion::error_scales(VectorRef scales) const {
  scales.setOnes();
  scale_positions(scales.head(positions_));
  scale_velocities(scales.segment(positions_, velocities_));
  scales[size() - 1] = std::numeric_limits<double>::infinity();
}

// Positions by the Hermite polynomial through q, q', q'', velocities from its derivative: no evaluation is needed, and
// the error is that of a method of order 5 (two points), 8 or 11.
void FullMotion::interpolate(std::span<const StepPoint> points, double t, VectorRef x) {
  MotionEquations::interpolate(points, t, x);
  const Coordinates& coordinates = system_.coordinates();
  const HermiteWeights weights(points, 3, t);
  const int count = static_cast<int>(points.size());
  qddot_.resize(positions_);
  q_at_.setZero(positions_);
  qdot_.setZero(positions_);
  for (int i = 0; i < count; ++i) {
    const StepPoint& point = points[count - 1 - i];
    const auto q = point.x.head(positions_), qdot = point.xdot.head(positions_);
    coordinates.position_acceleration(q, point.x.segment(positions_, velocities_),
                                      point.xdot.segment(positions_, velocities_), qddot_);
    q_at_ += weights.value(i, 0) * q + weights.value(i, 1) * qdot + weights.value(i, 2) * qddot_;
    qdot_ += weights.rate(i, 0) * q + weights.rate(i, 1) * qdot + weights.rate(i, 2) * qddot_;
  }
  x.head(positions_) = q_at_;
  coordinates.velocity_from_rate(q_at_, qdot_, x.segment(positions_, velocities_));
}

ImplicitOperator* FullMotion::implicit_operator(double t, ConstVector x) {
  // A derivative at a corrected state has other derivatives, and the matrix of dependent rows is singular.
  if (times_ == CorrectionTimes::steps_and_derivatives || dependent_rows_) return nullptr;
  if (!operator_) operator_ = std::make_unique<NewtonOperator>(*this, system_, stabilization_->feedback());
  return operator_->serves(t, x) ? operator_.get() : nullptr;
}

std::string FullMotion::report() const {
  const std::string of_dynamics = dynamics_->report(), of_stabilization = stabilization_->report();
  return of_dynamics + (of_dynamics.empty() || of_stabilization.empty() ? "" : "; ") + of_stabilization;
}

std::unique_ptr<MechanismMotion> motions::full(MotionSetting s) {
  const DynamicsOptions options{.feedback = s.stabilization->feedback(),
                                .projects = s.stabilization->corrects(),
                                .redundant = s.options.redundant,
                                .proximal = s.proximal,
                                .q = s.q,
                                .v = s.v,
                                .formulation = &s.formulation,
                                .of_formulation = s.options};
  return std::make_unique<FullMotion>(s.system, s.dynamics.create(s.system, options), std::move(s.stabilization),
                                      s.within_steps ? CorrectionTimes::steps_and_derivatives : CorrectionTimes::steps,
                                      s.options.redundant > 0 || s.proximal);
}

}  // namespace bricard

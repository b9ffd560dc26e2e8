#include "stabilization/dependent_motion.h"

#include <limits>

namespace bricard {

DependentMotion::DependentMotion(System& system, std::unique_ptr<Formulation> formulation,
                                 std::unique_ptr<Stabilization> stabilization, CorrectionTimes times)
    : system_(system),
      formulation_(std::move(formulation)),
      stabilization_(std::move(stabilization)),
      times_(times),
      positions_(system.position_size()),
      velocities_(system.velocity_size()),
      states_(system.state_size()),
      eq_(system.empty_equations()),
      q_(positions_),
      v_(velocities_),
      vdot_(Vector::Zero(velocities_)),
      lambda_(Vector::Zero(system.row_count())),
      previous_lambda_(system.row_count()),
      gamma_(system.row_count()),
      Q_(velocities_),
      qddot0_(positions_),
      qddot1_(positions_),
      qddot_middle_(positions_),
      qdot_(positions_),
      q_at_(positions_),
      v_at_(velocities_) {}

void DependentMotion::pack(ConstVector q, ConstVector v, VectorRef x) const {
  x.setZero();
  x.head(positions_) = q;
  x.segment(positions_, velocities_) = v;
}

Status DependentMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  const auto states = x.segment(positions_ + velocities_, states_);
  q_ = x.head(positions_);
  v_ = x.segment(positions_, velocities_);
  if (times_ == CorrectionTimes::steps_and_derivatives && stabilization_->correct(t, q_, v_) == StepChange::failed) {
    failure_ = stabilization_->failure();
    return Status::failed;
  }
  system_.evaluate(t, q_, v_, states, Upto::dynamics, eq_);
  const Status status = solve(states);
  if (status != Status::ok) return status;

  system_.coordinates().position_rate(q_, v_, xdot.head(positions_));
  xdot.segment(positions_, velocities_) = vdot_;
  if (states_ > 0) system_.state_rates(lambda_, states, xdot.segment(positions_ + velocities_, states_));
  xdot[size() - 1] = system_.nonconservative_power(eq_, lambda_);
  return Status::ok;
}

Status DependentMotion::solve(ConstVector states) {
  gamma_ = eq_.gamma;
  stabilization_->adjust(eq_, gamma_);
  Status status = formulation_->factorize(eq_);
  if (status == Status::ok) status = formulation_->solve(eq_.Q, gamma_, vdot_, lambda_);
  if (status != Status::ok) failure_ = formulation_->failure();
  if (status != Status::ok || !system_.friction_depends_on_load()) return status;

  // Friction depends on the multipliers, they on friction: fixed-point iteration with one factorisation.
  constexpr int most_iterations = 200;
  double size = 0, change = 0;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    previous_lambda_ = lambda_;
    system_.add_friction(lambda_, states, eq_, Q_);
    status = formulation_->solve(Q_, gamma_, vdot_, lambda_);
    if (status != Status::ok) return status;
    change = (lambda_ - previous_lambda_).lpNorm<Eigen::Infinity>();
    size = lambda_.lpNorm<Eigen::Infinity>();
    if (change <= 1e-13 * size) return Status::ok;
  }
  if (change <= 1e-9 * size) return Status::ok;  // as far as rounding lets it
  failure_ = "joint friction and joint loads do not settle: the friction is so large that the joint locks itself";
  return Status::failed;
}

StepChange DependentMotion::after_step(double t, VectorRef x) {
  StepChange change = StepChange::none;
  if (corrects_steps()) change = correct(t, x);
  if (change == StepChange::failed) return change;
  if (accept(t, x)) return change;
  failure_ = "a joint turns so fast that its turns cannot be counted";
  return StepChange::failed;
}

bool DependentMotion::accept(double t, ConstVector x) {
  const auto v = x.segment(positions_, velocities_);
  system_.evaluate(t, x.head(positions_), v, x.segment(positions_ + velocities_, states_), Upto::dynamics, eq_);
  if (!system_.turns_are_certain(t)) return false;
  system_.accept(t);
  energy_balance_ = system_.kinetic_energy(eq_, v) + system_.potential_energy(t) - work(x);
  return true;
}

StepChange DependentMotion::correct(double t, VectorRef x) {
  if (!stabilization_->corrects()) return StepChange::none;
  const StepChange change = stabilization_->correct(t, x.head(positions_), x.segment(positions_, velocities_));
  if (change == StepChange::failed) failure_ = stabilization_->failure();
  return change;
}

bool DependentMotion::renew_coordinates(VectorRef x) {
  return system_.coordinates().rebase(x.head(positions_), x.segment(positions_, velocities_));
}

void DependentMotion::error_scales(VectorRef scales) const {
  // Lengths and their rates are judged against the size of the model, angles and Euler parameters against 1.
  scales.setOnes();
  const double length = system_.model().characteristic_length();
  for (int k = 0; k < positions_; ++k) {
    if (system_.coordinates().is_length(k)) scales[k] = length;
  }
  for (int k = 0; k < velocities_; ++k) {
    if (!system_.coordinates().is_rotation(k)) scales[positions_ + k] = length;
  }
  scales[size() - 1] = std::numeric_limits<double>::infinity();
}

// Positions by the quintic Hermite polynomial through q, q', q'' at both ends, velocities from its derivative: no evaluation
// is needed, and the error is of the order of a fifth-order method's. With q'' in the middle too, one order more.
void DependentMotion::interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1, ConstVector xdot1,
                                  const Vector* xdot_middle, double t, VectorRef x) const {
  MotionEquations::interpolate(t0, x0, xdot0, t1, x1, xdot1, xdot_middle, t, x);
  const Coordinates& coordinates = system_.coordinates();
  const auto position = [&](const ConstVector& y) { return y.head(positions_); };
  const auto velocity = [&](const ConstVector& y) { return y.segment(positions_, velocities_); };
  coordinates.position_acceleration(position(x0), velocity(x0), velocity(xdot0), qddot0_);
  coordinates.position_acceleration(position(x1), velocity(x1), velocity(xdot1), qddot1_);

  const double h = t1 - t0;
  const auto quintic = [&](double s) {
    const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
    const double end = 10 * s3 - 15 * s4 + 6 * s5, end_slope = h != 0 ? (30 * s2 - 60 * s3 + 30 * s4) / h : 0;
    q_at_ = (1 - end) * position(x0) + end * position(x1) + h * (s - 6 * s3 + 8 * s4 - 3 * s5) * position(xdot0) +
            h * (-4 * s3 + 7 * s4 - 3 * s5) * position(xdot1) + h * h * 0.5 * (s2 - 3 * s3 + 3 * s4 - s5) * qddot0_ +
            h * h * 0.5 * (s3 - 2 * s4 + s5) * qddot1_;
    qdot_ = end_slope * (position(x1) - position(x0)) + (1 - 18 * s2 + 32 * s3 - 15 * s4) * position(xdot0) +
            (-12 * s2 + 28 * s3 - 15 * s4) * position(xdot1) + h * 0.5 * (2 * s - 9 * s2 + 12 * s3 - 5 * s4) * qddot0_ +
            h * 0.5 * (3 * s2 - 8 * s3 + 5 * s4) * qddot1_;
  };
  const double s = h != 0 ? (t - t0) / h : 0;
  if (xdot_middle) {
    // What the quintic's q'' lacks in the middle; s^3 (1 - s)^3, flat at the ends, has second derivative -3/8 there.
    quintic(0.5);
    coordinates.velocity_from_rate(q_at_, qdot_, v_at_);
    coordinates.position_acceleration(q_at_, v_at_, velocity(*xdot_middle), qddot_middle_);
    if (h != 0) qddot_middle_ -= 1.5 / h * (position(xdot1) - position(xdot0)) - 0.25 * (qddot0_ + qddot1_);
  }
  quintic(s);
  if (xdot_middle) {
    const double r = s * (1 - s);
    q_at_ -= 8.0 / 3 * h * h * r * r * r * qddot_middle_;
    qdot_ -= 8 * h * r * r * (1 - 2 * s) * qddot_middle_;
  }
  x.head(positions_) = q_at_;
  coordinates.velocity_from_rate(q_at_, qdot_, x.segment(positions_, velocities_));
}

}  // namespace bricard

#include "stabilization/independent_extended_motion.h"

#include <limits>

#include "formulations/hermite.h"

namespace bricard {

void IndependentExtendedMotion::pack(double, ConstVector q, ConstVector v, VectorRef x) {
  step_.resize(velocities_);
  no_change_.setZero(freedoms());
  x.setZero();
  x.head(positions_) = q;
  x.segment(positions_, freedoms()) = partition_.B() * v;
}

Status IndependentExtendedMotion::unpack(double t, ConstVector x, Vector& q, Vector& v) {
  const auto zdot = x.segment(positions_, freedoms());
  q = x.head(positions_);
  // P of velocity-level rows may depend on v (if they are not linear in it): a second pass with the v of the first.
  v.setZero();
  for (int pass = 0; pass < 2; ++pass) {
    system_.evaluate(t, q, v, x.segment(positions_ + freedoms(), states_), Upto::velocities, eq_);
    if (!partition_.factorize(eq_)) {
      failure_ = "the independent coordinates no longer determine the others";
      return Status::failed;
    }
    partition_.solve(-eq_.Phi_t, zdot, v);
  }
  return v.allFinite() ? Status::ok : Status::failed;
}

Status IndependentExtendedMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  const auto states = x.segment(positions_ + freedoms(), states_);
  if (unpack(t, x, q_, v_) != Status::ok) return Status::failed;
  system_.evaluate(t, q_, v_, states, Upto::dynamics, eq_);
  const Status status = find_accelerations(states);
  if (status != Status::ok) return status;
  system_.coordinates().position_rate(q_, v_, xdot.head(positions_));
  xdot.segment(positions_, freedoms()) = zddot_;
  if (states_ > 0) system_.state_rates(lambda_, states, xdot.segment(positions_ + freedoms(), states_));
  xdot[size() - 1] = system_.nonconservative_power(eq_, lambda_);
  return Status::ok;
}

StepChange IndependentExtendedMotion::correct(double t, VectorRef x) {
  q_ = x.head(positions_);
  v_.setZero();
  const double tolerance = 1e-13 * std::max(1.0, system_.model().characteristic_length());
  bool moved = false;
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 20; ++iteration) {
    system_.evaluate(t, q_, v_, x.segment(positions_ + freedoms(), states_), Upto::velocities, eq_);
    const double error = eq_.Phi.norm();
    if (error <= tolerance || (error <= 1e4 * tolerance && error > 0.5 * previous)) {
      if (moved) x.head(positions_) = q_;
      return moved ? StepChange::corrected : StepChange::none;
    }
    if (!(error < 2 * previous) || !partition_.factorize(eq_)) break;
    previous = error;
    partition_.solve(-eq_.Phi, no_change_, step_);
    system_.coordinates().advance(q_, step_);
    moved = true;
  }
  failure_ = "the positions cannot be put back on the constraints with these independent coordinates";
  return StepChange::failed;
}

StepChange IndependentExtendedMotion::after_step(double t, VectorRef x) {
  const StepChange change = correct(t, x);
  if (change == StepChange::failed) return change;
  return accept(t, x) ? change : StepChange::failed;
}

bool IndependentExtendedMotion::renew(double t, VectorRef x) {
  if (unpack(t, x, q_, v_) != Status::ok) return false;
  const bool other_coordinates = system_.coordinates().rebase(q_, v_);
  system_.evaluate(t, q_, v_, x.segment(positions_ + freedoms(), states_), Upto::dynamics, eq_);
  const bool other_choice = (other_coordinates && partition_.choose(eq_, freedoms())) || choose_again();
  if (!other_coordinates && !other_choice) return false;
  const Vector rest = x.tail(states_ + 1);
  pack(t, q_, v_, x);
  x.tail(states_ + 1) = rest;
  return true;
}

void IndependentExtendedMotion::error_scales(VectorRef scales) const {
  scales.setOnes();
  scale_positions(scales.head(positions_));
  scale_independent(scales.segment(positions_, freedoms()));
  scales[size() - 1] = std::numeric_limits<double>::infinity();
}

void IndependentExtendedMotion::position_acceleration(double t, ConstVector x, ConstVector xdot, Vector& qddot) {
  qddot.resize(positions_);
  if (unpack(t, x, q_, v_) != Status::ok) return qddot.setZero(), void();
  system_.evaluate(t, q_, v_, x.segment(positions_ + freedoms(), states_), Upto::velocities, eq_);
  partition_.factorize(eq_);
  partition_.solve(eq_.gamma, xdot.segment(positions_, freedoms()), step_);  // v' = R z'' + S gamma
  system_.coordinates().position_acceleration(q_, v_, step_, qddot);
}

// The quintic of the dependent coordinates needs q'', which the state does not hold: two evaluations of the
// constraints, once a step that is asked for.
void IndependentExtendedMotion::interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1,
                                            ConstVector xdot1, const Vector* xdot_middle, double t, VectorRef x) {
  MotionEquations::interpolate(t0, x0, xdot0, t1, x1, xdot1, xdot_middle, t, x);
  q_at_.resize(positions_), qdot_.resize(positions_);
  if (t0 != known_start_ || t1 != known_end_) {
    position_acceleration(t0, x0, xdot0, qddot0_);
    position_acceleration(t1, x1, xdot1, qddot1_);
    known_start_ = t0, known_end_ = t1;
    qddot_middle_.resize(0);
  }
  const HermiteEnds ends{t1 - t0, x0.head(positions_), xdot0.head(positions_),
                         qddot0_, x1.head(positions_), xdot1.head(positions_),
                         qddot1_};
  if (xdot_middle && qddot_middle_.size() == 0) {
    middle_.resize(size());
    MotionEquations::interpolate(t0, x0, xdot0, t1, x1, xdot1, nullptr, 0.5 * (t0 + t1), middle_);
    quintic(ends, 0.5, q_at_, qdot_);
    middle_.head(positions_) = q_at_;
    position_acceleration(0.5 * (t0 + t1), middle_, *xdot_middle, qddot_middle_);
  }
  const double s = ends.h != 0 ? (t - t0) / ends.h : 0;
  quintic(ends, s, q_at_, qdot_);
  if (xdot_middle) add_middle(ends, qddot_middle_, s, q_at_, qdot_);
  x.head(positions_) = q_at_;
  // z' from the rates of the polynomial.
  system_.coordinates().velocity_from_rate(q_at_, qdot_, v_);
  x.segment(positions_, freedoms()) = partition_.B() * v_;
}

}  // namespace bricard

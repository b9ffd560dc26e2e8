#include "motions/independent_extended_motion.h"

#include "formulations/partition_newton.h"
#include "motions/over_formulation.h"
#include "motions/work_scale.h"

namespace bricard {

void IndependentExtendedMotion::pack(double, ConstVector q, ConstVector v, VectorRef x) {
  last_R_.resize(0, 0);
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
    partition_.solve(negative(eq_.Phi_t), zdot, v);
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

/// Where the independent coordinates are about to lose the others, a small error of the constraints moves these far:
/// a shorter step ends before that place, and the next starts with another choice.
bool IndependentExtendedMotion::is_amplified(double error, double way) const {
  constexpr double most = 100, harmless = 1e-9;
  return way > most * error && way > harmless * std::max(1.0, system_.model().characteristic_length());
}

/// A step over a place where the independent coordinates do not determine the others is nobody's estimate of an error:
/// a shorter one ends before it, and the next starts with another choice. Told by R, the velocities of unit z': beyond
/// such a place it points the other way. (Where the mechanism itself is singular R goes on as it was.)
bool IndependentExtendedMotion::crosses() {
  constexpr int most = 8;
  if (freedoms() == 0) return false;
  system_.evaluate(eq_.t, q_, v_, Vector::Zero(states_), Upto::dynamics, eq_);
  if (!partition_.factorize(eq_)) return false;
  const Matrix& R = partition_.R();
  if (last_R_.size() > 0 && (last_R_.transpose() * (eq_.M * R)).determinant() < 0 && ++crossings_ <= most) {
    failure_ = "the step leads over a place where the independent coordinates do not determine the others";
    return true;
  }
  last_R_ = R, crossings_ = 0;
  return false;
}

StepChange IndependentExtendedMotion::correct(double t, VectorRef x) {
  return interval_ == 1 ? put_back(t, x) : StepChange::none;  // between corrected steps, drift is what is to be seen
}

bool IndependentExtendedMotion::is_above_bound(double t, ConstVector x) {
  if (bound_ == 0) return true;
  q_ = x.head(positions_);
  v_.setZero();
  system_.evaluate(t, q_, v_, x.segment(positions_ + freedoms(), states_), Upto::velocities, eq_);
  return eq_.Phi.norm() > bound_;
}

StepChange IndependentExtendedMotion::put_back(double t, VectorRef x) {
  if (!is_above_bound(t, x)) return StepChange::none;
  q_ = x.head(positions_);
  v_.setZero();
  bool moved = false;
  double first = 0, way = 0;
  const bool found = find_dependent_positions(
      tolerance_, rounding_, 2,
      [&] {
        system_.evaluate(t, q_, v_, x.segment(positions_ + freedoms(), states_), Upto::velocities, eq_);
        return eq_.Phi.norm();
      },
      [&] {
        if (!partition_.factorize(eq_)) return false;
        if (!moved) first = eq_.Phi.norm();
        partition_.solve(negative(eq_.Phi), no_change_, step_);
        way += step_.norm();
        system_.coordinates().advance(q_, step_);
        return moved = true;
      });
  if (found && !is_amplified(first, way)) {
    if (moved) x.head(positions_) = q_;
    return moved ? StepChange::corrected : StepChange::none;
  }
  failure_ = "the positions cannot be put back on the constraints with these independent coordinates";
  return StepChange::failed;
}

StepChange IndependentExtendedMotion::after_step(double t, VectorRef x) {
  ++steps_;
  const bool is_due = interval_ > 0 && steps_ % interval_ == 0;
  const StepChange change = is_due ? put_back(t, x) : StepChange::none;
  if (change == StepChange::failed || crosses()) return StepChange::failed;
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
  scales[size() - 1] = work_scale(system_.model());
}

std::unique_ptr<MechanismMotion> motions::extended(MotionSetting setting) {
  if (setting.formulation.create) return create_over_formulation<OverFormulation<IndependentExtendedMotion>>(setting);
  return create_partitioned<IndependentExtendedMotion>(setting);
}

}  // namespace bricard

#include "motions/independent_motion.h"

#include <cmath>

#include "formulations/partition_newton.h"
#include "motions/carried_motion.h"
#include "motions/coordinate_partitioning.h"
#include "motions/hermite.h"
#include "motions/work_scale.h"

namespace bricard {

void IndependentMotion::pack(double, ConstVector q, ConstVector v, VectorRef x) {
  guess_ = q;
  step_.resize(velocities_);
  z_error_.resize(freedoms());
  x.setZero();
  x.head(freedoms()) = partition_.B() * q;
  x.segment(freedoms(), freedoms()) = partition_.B() * v;
}

Status IndependentMotion::unpack(double t, ConstVector x, Vector& q, Vector& v) {
  const auto z = x.head(freedoms());
  const auto zdot = x.segment(freedoms(), freedoms());
  const auto states = x.segment(2 * freedoms(), states_);
  q = guess_;
  v.setZero();
  const bool found = find_dependent_positions(
      tolerance_, rounding_, INFINITY,
      [&] {
        system_.evaluate(t, q, v, states, Upto::velocities, eq_);
        z_error_ = z;
        z_error_.noalias() -= partition_.B() * q;
        return std::hypot(eq_.Phi.norm(), z_error_.norm());
      },
      [&] {
        if (!partition_.factorize(eq_)) return false;
        partition_.solve(negative(eq_.Phi), z_error_, step_);
        system_.coordinates().advance(q, step_);
        return true;
      });
  if (found && partition_.factorize(eq_)) {
    // [P; B] v = [-Phi_t; z']
    partition_.solve(negative(eq_.Phi_t), zdot, v);
    guess_ = q;
    return v.allFinite() ? Status::ok : Status::failed;
  }
  failure_ = "no positions belong to the independent coordinates (a singular position, or a bad choice of them)";
  return Status::failed;
}

Status IndependentMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  const auto states = x.segment(2 * freedoms(), states_);
  if (unpack(t, x, q_, v_) != Status::ok) return Status::failed;
  system_.evaluate(t, q_, v_, states, Upto::dynamics, eq_);
  const Status status = find_accelerations(states);
  if (status != Status::ok) return status;
  xdot.head(freedoms()) = x.segment(freedoms(), freedoms());
  xdot.segment(freedoms(), freedoms()) = zddot_;
  if (states_ > 0) system_.state_rates(lambda_, states, xdot.segment(2 * freedoms(), states_));
  xdot[size() - 1] = system_.nonconservative_power(eq_, lambda_);
  return Status::ok;
}

StepChange IndependentMotion::after_step(double t, VectorRef x) {
  return accept(t, x) ? StepChange::none : StepChange::failed;
}

bool IndependentMotion::renew(double t, VectorRef x) {
  if (unpack(t, x, q_, v_) != Status::ok) return false;
  const bool other_coordinates = system_.coordinates().rebase(q_, v_);
  if (other_coordinates) system_.evaluate(t, q_, v_, x.segment(2 * freedoms(), states_), Upto::dynamics, eq_);
  const bool other_choice = (other_coordinates && partition_.choose(eq_, freedoms())) || choose_again();
  if (!other_coordinates && !other_choice) return false;
  const Vector rest = x.tail(states_ + 1);
  pack(t, q_, v_, x);
  x.tail(states_ + 1) = rest;
  return true;
}

void IndependentMotion::error_scales(VectorRef scales) const {
  scales.setOnes();
  scale_independent(scales.head(freedoms()));
  scale_independent(scales.segment(freedoms(), freedoms()));
  // Where the motion is given nothing but the work is integrated, and its error limits the steps.
  scales[size() - 1] = work_scale(system_.model()) / (freedoms() > 0 ? 1 : 100);
}

void IndependentMotion::interpolate(std::span<const StepPoint> points, double t, VectorRef x) {
  MotionEquations::interpolate(points, t, x);
  interpolate_with_rates(points, freedoms(), t, x);
}

std::unique_ptr<MechanismMotion> motions::independent(MotionSetting setting) {
  if (setting.formulation.create) return create_over_formulation<CoordinatePartitioning>(setting);
  if (setting.options.carry_history) return create_partitioned<CarriedMotion>(setting);
  return create_partitioned<IndependentMotion>(setting);
}

}  // namespace bricard

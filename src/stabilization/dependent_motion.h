// Motion in dependent coordinates: state (q, v, friction states, work), with any formulation and any stabilisation.
// `work` is what everything without a potential has done so far; with it the energy balance of any model can be checked.
#pragma once

#include <memory>
#include <string>

#include "formulations/formulation.h"
#include "stabilization/stabilization.h"

namespace bricard {

/// When a stabilisation that corrects states does so: after steps, or also where the derivative is evaluated, for redundant
/// rows, which off the constraints are independent by the amount of the drift, and near singular positions, where that
/// drift is what blows accelerations up.
enum class CorrectionTimes { steps, steps_and_derivatives };

class DependentMotion : public MotionEquations {
 public:
  DependentMotion(System& system, std::unique_ptr<Formulation> formulation, std::unique_ptr<Stabilization> stabilization,
                  CorrectionTimes times);

  int size() const override { return positions_ + velocities_ + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  bool corrects_steps() const override { return stabilization_->corrects(); }
  StepChange after_step(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;
  void interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1, ConstVector xdot1,
                   const Vector* xdot_middle, double t, VectorRef x) const override;
  std::string failure() const override { return failure_; }

  // --- parts of the state ---
  void pack(ConstVector q, ConstVector v, VectorRef x) const;
  auto q(const Vector& x) const { return x.head(positions_); }
  auto v(const Vector& x) const { return x.segment(positions_, velocities_); }
  auto states(const Vector& x) const { return x.segment(positions_ + velocities_, states_); }
  /// Energy minus work at the last accepted state: constant but for errors.
  double energy_balance() const { return energy_balance_; }
  double work(ConstVector x) const { return x[size() - 1]; }

  /// From now on the derivative is evaluated at corrected states too.
  void correct_in_derivatives() { times_ = CorrectionTimes::steps_and_derivatives; }
  bool corrects_in_derivatives() const { return times_ == CorrectionTimes::steps_and_derivatives; }
  /// Takes a state as accepted: turns of joints are counted from it. False if they cannot be told.
  bool accept(double t, ConstVector x);

  /// Changes to other coordinates where these are near a singularity of their own; the integrator must restart then.
  bool renew_coordinates(VectorRef x);
  /// Puts a state (of dense output) on the constraints, as after_step() does.
  StepChange correct(double t, VectorRef x);

  // --- results of the last derivative() ---
  const Equations& equations() const { return eq_; }
  const Vector& accelerations() const { return vdot_; }
  const Vector& multipliers() const { return lambda_; }

 private:
  Status solve(ConstVector states);

  System& system_;
  std::unique_ptr<Formulation> formulation_;
  std::unique_ptr<Stabilization> stabilization_;
  CorrectionTimes times_;
  int positions_, velocities_, states_;
  Equations eq_;
  Vector q_, v_, vdot_, lambda_, previous_lambda_, gamma_, Q_;
  mutable Vector qddot0_, qddot1_, qddot_middle_, qdot_, q_at_, v_at_;
  double energy_balance_ = 0;
  std::string failure_;
};

}  // namespace bricard

// Motion in all coordinates: state (q, v, friction states, work) over any engine, with any stabilisation.
#pragma once

#include <memory>
#include <string>

#include "dynamics/dynamics.h"
#include "dynamics/friction_solver.h"
#include "dynamics/prepared_state.h"
#include "motions/mechanism_motion.h"
#include "motions/newton_operator.h"
#include "stabilization/stabilization.h"

namespace bricard {

/// When a stabilisation that corrects states does so: after steps, or also where the derivative is evaluated, for
/// redundant rows, which off the constraints are independent by the amount of the drift, and near singular positions,
/// where that drift is what blows accelerations up.
enum class CorrectionTimes { steps, steps_and_derivatives };

class FullMotion : public MechanismMotion {
 public:
  /// `dependent_rows`: some constraints follow from others, everywhere or where it starts.
  FullMotion(System& system, std::unique_ptr<Dynamics> dynamics, std::unique_ptr<Stabilization> stabilization,
             CorrectionTimes times = CorrectionTimes::steps, bool dependent_rows = false);

  int size() const override { return positions_ + velocities_ + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  Status observe(double t, ConstVector x, VectorRef xdot) override;
  void error_scales(VectorRef scales) const override;
  void interpolate(std::span<const StepPoint> points, double t, VectorRef x) override;

  bool corrects_steps() const override { return stabilization_->corrects() && system_.row_count() > 0; }
  StepChange correct_candidate(double t, VectorRef x) override;
  StepChange after_step(double t, VectorRef x) override;
  StepChange correct(double t, VectorRef x) override;
  bool accept(double t, ConstVector x) override;
  void forget_instant() override { dynamics_->forget(); }

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool renew(double t, VectorRef x) override;

  const Equations& equations() const override { return dynamics_->equations(); }
  Vector friction_forces() const override;
  std::string report() const override;
  void show(Exhibit& exhibit) override { dynamics_->show(exhibit); }
  Dynamics& dynamics() { return *dynamics_; }
  ImplicitOperator* implicit_operator(double t, ConstVector x) override;

 private:
  /// `how`: accelerate or observe.
  template <auto how>
  Status evaluate(double t, const ConstVector& x, VectorRef& xdot);
  template <auto how>
  Status evaluate_at(double t, const double* x, VectorRef& xdot);
  /// Friction and what depends on it, after accelerations without it.
  Status add_friction(const Instant& at, VectorRef& xdot);

  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Stabilization> stabilization_;
  std::unique_ptr<NewtonOperator> operator_;
  FrictionSolver friction_;
  CorrectionTimes times_;
  bool dependent_rows_;
  PreparedState corrected_;  // the candidate corrected last
  Vector within_;
  Vector free_vdot_, free_lambda_, added_, zero_rows_, increment_, lambda_increment_;
  Vector qddot_, qdot_, q_at_;
};

}  // namespace bricard

// Motion in dependent coordinates: state (q, v, friction states, work), with any formulation of accelerations and any
// stabilisation.
#pragma once

#include <memory>
#include <string>

#include "formulations/nonideal_forces.h"
#include "stabilization/mechanism_motion.h"
#include "stabilization/stabilization.h"

namespace bricard {

/// When a stabilisation that corrects states does so: after steps, or also where the derivative is evaluated, for
/// redundant rows, which off the constraints are independent by the amount of the drift, and near singular positions,
/// where that drift is what blows accelerations up.
enum class CorrectionTimes { steps, steps_and_derivatives };

class DependentMotion : public MechanismMotion {
 public:
  DependentMotion(System& system, std::unique_ptr<Formulation> formulation,
                  std::unique_ptr<Stabilization> stabilization, CorrectionTimes times, Upto upto = Upto::dynamics);

  int size() const override { return positions_ + velocities_ + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  bool corrects_steps() const override { return stabilization_->corrects(); }
  StepChange after_step(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;
  void interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1, ConstVector xdot1,
                   const Vector* xdot_middle, double t, VectorRef x) override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool renew(double t, VectorRef x) override;
  StepChange correct(double t, VectorRef x) override;
  /// First: corrects where derivatives are evaluated. Then: falls back on another formulation.
  std::string take_care() override;
  void fall_back_on(std::unique_ptr<Formulation> formulation) { fallback_ = std::move(formulation); }
  std::string report() const override;

 private:
  std::unique_ptr<Formulation> formulation_, fallback_;
  NonidealForces* nonideal_;  // the formulation, if it is one
  std::unique_ptr<Stabilization> stabilization_;
  CorrectionTimes times_;
  Upto upto_;  // what the formulation needs
  Status solve(const Vector& Q);

  Vector gamma_, C_;
  Vector qddot0_, qddot1_, qddot_middle_, qdot_, q_at_, v_at_;
};

}  // namespace bricard

// Motion in dependent coordinates: state (q, v, friction states, work), with any formulation of accelerations and any
// stabilisation.
#pragma once

#include <memory>
#include <string>

#include "formulations/nonideal_forces.h"
#include "motions/dependent_state.h"
#include "motions/newton_operator.h"
#include "stabilization/stabilization.h"

namespace bricard {

/// When a stabilisation that corrects states does so: after steps, or also where the derivative is evaluated, for
/// redundant rows, which off the constraints are independent by the amount of the drift, and near singular positions,
/// where that drift is what blows accelerations up.
enum class CorrectionTimes { steps, steps_and_derivatives };

class DependentMotion : public DependentState, public ImplicitMotion {
 public:
  DependentMotion(System& system, std::unique_ptr<Formulation> formulation,
                  std::unique_ptr<Stabilization> stabilization, CorrectionTimes times, Upto upto = Upto::dynamics,
                  Matrices matrices = Matrices::whole);

  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  bool corrects_steps() const override { return stabilization_->corrects(); }
  StepChange correct_candidate(double t, VectorRef x) override;
  StepChange after_step(double t, VectorRef x) override;

  StepChange correct(double t, VectorRef x) override;
  /// First: corrects where derivatives are evaluated. Then: falls back on another formulation.
  std::string take_care() override;
  void fall_back_on(std::unique_ptr<Formulation> formulation) { fallback_ = std::move(formulation); }
  std::string report() const override;
  ImplicitOperator* implicit_operator(double t, ConstVector x) override;

 protected:
  const Feedback& feedback() const { return stabilization_->feedback(); }

 private:
  std::unique_ptr<Formulation> formulation_, fallback_;
  NonidealForces* nonideal_;  // the formulation, if it is one
  std::unique_ptr<Stabilization> stabilization_;
  std::unique_ptr<NewtonOperator> operator_;
  CorrectionTimes times_;
  Upto upto_;  // what the formulation needs
  Status solve(const Vector& Q);

  Vector gamma_, C_;
  // The candidate corrected last.
  double corrected_time_ = 0;
  Vector corrected_;
  bool is_corrected_ = false;
};

}  // namespace bricard

// The engine `whole`: M, P, Q and gamma of the whole system, and the algebra of any formulation. Its projection has
// algebra of its own, never the formulation's, which may be inexact (penalty) or fail at singular positions (lagrange).
#pragma once

#include <memory>
#include <string>

#include "dynamics/dynamics.h"
#include "dynamics/whole_projection.h"
#include "formulations/nonideal_forces.h"

namespace bricard {

class Whole : public Dynamics {
 public:
  Whole(System& system, std::unique_ptr<Formulation> formulation, Feedback feedback = {});

  Status accelerate(const Instant& at, VectorRef qdot, VectorRef vdot) override;
  Status observe(const Instant& at, VectorRef qdot, VectorRef vdot) override { return accelerate(at, qdot, vdot); }
  StepChange project(double t, VectorRef q, VectorRef v) override;
  /// By the formulation, whose own stabilisation (of penalty methods) is in accelerations alone.
  Status solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y) override;
  const Vector& multipliers() override { return lambda_; }
  using Dynamics::power;
  double power() const override { return system_.nonconservative_power(eq_, lambda_); }
  bool accept(const Instant& at) override;
  double energy() const override { return energy_; }
  void set_feedback(const Feedback& feedback) override { feedback_ = feedback; }
  std::string report() const override { return formulation_->report(); }
  void show(Exhibit& exhibit) override { formulation_->show(exhibit); }

  Formulation& formulation() { return *formulation_; }

 private:
  Status solve_formulation(ConstVector Q, ConstVector C, ConstVector gamma, VectorRef x, VectorRef y);

  std::unique_ptr<Formulation> formulation_;
  NonidealForces* nonideal_;  // the formulation, if it has a place for friction
  Feedback feedback_;
  std::unique_ptr<WholeProjection> projection_;  // since it was needed first
  Vector gamma_, lambda_, no_forces_, no_gamma_;
  Vector at_rest_x_, at_rest_y_;  // what the formulation finds for f = 0, g = 0 at this instant
  bool knows_at_rest_ = false;
  double energy_ = 0;
};

}  // namespace bricard

#include "dynamics/whole.h"

#include "model/counted.h"

namespace bricard {

Whole::Whole(System& system, std::unique_ptr<Formulation> formulation, Feedback feedback)
    : Dynamics(system, system.empty_equations()),
      formulation_(std::move(formulation)),
      nonideal_(formulation_->nonideal()),
      feedback_(std::move(feedback)),
      gamma_(system.row_count()),
      lambda_(Vector::Zero(system.row_count())),
      no_forces_(Vector::Zero(system.velocity_size())),
      no_gamma_(Vector::Zero(system.row_count())),
      at_rest_x_(system.velocity_size()),
      at_rest_y_(system.row_count()) {}

Status Whole::accelerate(const Instant& at, VectorRef qdot, VectorRef vdot) {
  knows_at_rest_ = false;
  system_.evaluate(at.t, at.q, at.v, at.s, Upto::dynamics, eq_);
  if (!forces_are_finite()) return Status::failed;
  gamma_ = eq_.gamma;
  feedback_.apply(eq_, gamma_);
  Status status = formulation_->factorize(eq_);
  if (status == Status::ok) status = solve_formulation(eq_.Q, no_forces_, gamma_, vdot, lambda_);
  if (status == Status::ok) system_.coordinates().position_rate(at.q, at.v, qdot);
  return status;
}

Status Whole::solve_formulation(ConstVector Q, ConstVector C, ConstVector gamma, VectorRef x, VectorRef y) {
  const Status status = nonideal_ ? nonideal_->solve_nonideal(Q, C, gamma, x, y) : formulation_->solve(Q, gamma, x, y);
  if (status != Status::ok) failure_ = formulation_->failure();
  return status;
}

Status Whole::solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y) {
  if (!knows_at_rest_) {
    const Status status = solve_formulation(no_forces_, no_forces_, no_gamma_, at_rest_x_, at_rest_y_);
    if (status != Status::ok) return status;
    knows_at_rest_ = true;
  }
  const Status status = nonideal_ ? solve_formulation(no_forces_, f, g, x, y) : solve_formulation(f, f, g, x, y);
  x -= at_rest_x_;
  y -= at_rest_y_;
  return status;
}

StepChange Whole::project(double t, VectorRef q, VectorRef v) {
  if (!projection_) projection_ = std::make_unique<WholeProjection>(system_);
  const StepChange change = projection_->project(t, q, v);
  if (change == StepChange::failed) failure_ = projection_->failure();
  return change;
}

bool Whole::accept(const Instant& at) {
  system_.evaluate(at.t, at.q, at.v, at.s, Upto::velocities, eq_);
  if (!system_.turns_are_certain(at.t)) {
    failure_ = "a joint turns so fast that its turns cannot be counted";
    return false;
  }
  system_.accept(at.t);
  energy_ = system_.kinetic_energy() + system_.potential_energy(at.t);
  return true;
}

namespace engines {

DynamicsType whole() {
  return {.name = "whole",
          .description = "the formulation's own algebra, on matrices of the whole system",
          .equations = nullptr,
          .misfit = [](const System&, int) { return std::string(); },
          .describe =
              [](const System& system, const FormulationType&) {
                const auto unknowns = static_cast<std::size_t>(system.velocity_size() + system.row_count());
                return "matrices of the whole system, " + counted(unknowns, "unknown", "unknowns");
              },
          .create = [](System& system, const DynamicsOptions& options) -> std::unique_ptr<Dynamics> {
            return std::make_unique<Whole>(
                system, options.formulation->create(system.empty_equations(), options.of_formulation),
                options.feedback);
          }};
}

}  // namespace engines
}  // namespace bricard

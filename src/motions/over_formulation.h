// A state of independent coordinates or velocities in which the accelerations are found by a formulation for all
// coordinates, with its plain gamma:
//   v', lambda by the formulation,   z'' = B v'                            [Jalon-Bayo 5.2.2, Pekal-Fraczek section 2]
// Velocities satisfy the constraints, so what a penalty method adds of its own against their errors is left out.
#pragma once

#include <memory>
#include <string>

#include "formulations/exhibit.h"
#include "formulations/nonideal_forces.h"
#include "motions/partitioned_motion.h"

namespace bricard {

template <class Base>
class OverFormulation : public Base {
 public:
  OverFormulation(System& system, const FormulationType& type, const FormulationOptions& options)
      : Base(system, options),
        formulation_(type.create(system.empty_equations(), without_feedback(options))),
        nonideal_(formulation_->nonideal()),
        friction_(Vector::Zero(nonideal_ ? this->velocities_ : 0)) {}

  std::string report() const override {
    const std::string of_formulation = formulation_->report();
    return Base::report() + (of_formulation.empty() ? "" : "; " + of_formulation);
  }
  void show(Exhibit& exhibit) override {
    this->show_choice(exhibit);
    formulation_->show(exhibit);
    exhibit.add("z''", "B v': what of the accelerations is integrated", "Jalon-Bayo (5.56), (5.58)", this->zddot_,
                Axis::freedoms);
  }

 protected:
  Status find_accelerations(ConstVector states) override {
    if (!this->forces_are_finite()) return Status::failed;
    if (const Status status = formulation_->factorize(this->eq_); status != Status::ok) return fail(status);
    return this->settle_friction(states, [this](const Vector& Q) { return solve(Q); });
  }

 private:
  static FormulationOptions without_feedback(FormulationOptions options) {
    options.omega = 0;
    options.row_omega.setZero();
    return options;
  }
  Status fail(Status status) {
    this->failure_ = formulation_->failure();
    return status;
  }
  Status solve(const Vector& Q) {
    const Equations& eq = this->eq_;
    if (nonideal_) friction_ = Q - eq.Q;
    const Status status = nonideal_ ? nonideal_->solve_nonideal(eq.Q, friction_, eq.gamma, this->vdot_, this->lambda_)
                                    : formulation_->solve(Q, eq.gamma, this->vdot_, this->lambda_);
    if (status != Status::ok) return fail(status);
    this->zddot_.noalias() = this->partition_.B() * this->vdot_;
    return Status::ok;
  }

  std::unique_ptr<Formulation> formulation_;
  NonidealForces* nonideal_;  // the formulation, if it has a place for friction
  Vector friction_;
};

/// Null if no independent coordinates can be chosen where it starts.
template <class Motion>
std::unique_ptr<MechanismMotion> create_over_formulation(const MotionSetting& s) {
  auto motion = std::make_unique<Motion>(s.system, s.formulation, s.options);
  return motion->begin(0, s.q, s.v) ? std::move(motion) : nullptr;
}

}  // namespace bricard

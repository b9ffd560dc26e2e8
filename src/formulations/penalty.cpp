// `penalty`: constraints as stiff springs with dampers and inertia of their own.          [Jalon-Bayo (5.37), (5.47)]
//   (M + P^T a P) v' = Q - P^T a w,   lambda ~ a (P v' + w),   w: see penalty_system.h
// v' is off by about 1/a, a counted in inertias, and so Phi by about lambda/(a Omega^2). One refinement keeps the
// rounding, eps a, out of both. The estimate of lambda is of least norm as long as redundant rows agree.
#include "formulations/penalty_system.h"

namespace bricard::formulations {
namespace {

class Penalty : public Formulation {
 public:
  Penalty(const Equations& pattern, const FormulationOptions& options)
      : system_(pattern, options), vdot_(pattern.velocities()), lambda_(pattern.rows()) {}

  Status factorize(const Equations& equations) override {
    failure_ = "";
    if (system_.factorize(equations)) return Status::ok;
    failure_ = system_.failure();
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    system_.set_right_sides(Q, gamma);
    vdot_.setZero();
    lambda_.setZero();
    system_.advance(vdot_, lambda_);
    system_.refine(vdot_, lambda_);
    vdot = vdot_;
    lambda = lambda_;
    if (vdot_.allFinite() && lambda_.allFinite()) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  void show(Exhibit& exhibit) override { system_.show(exhibit); }
  std::string report() const override { return system_.penalty_text(); }

 private:
  PenaltySystem system_;
  Vector vdot_, lambda_;
  const char* failure_ = "";
};

}  // namespace

FormulationType penalty() {
  return {.name = "penalty",
          .description =
              "constraints as stiff springs (--penalty, --omega, --mu): approximate, one positive definite matrix",
          .source = "Bayo, Garcia de Jalon, Serna 1988; Jalon-Bayo (5.37), (5.47)",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .unique_multipliers = false,
                     .feedback = false,
                     .row_penalties = true,
                     .accuracy = 1e-5F,
                     .cost = "linear in bodies for chains and ladders (sparse above 60 coordinates)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<Penalty>(pattern, options);
          }};
}

}  // namespace bricard::formulations

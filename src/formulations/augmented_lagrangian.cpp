// `augmented-lagrangian`: the penalty formulation, corrected by multipliers until the constraints hold exactly.
//   (M + P^T a P) v'_{i+1} = M v'_i - P^T a w,   lambda_{i+1} = lambda_i + a (P v'_{i+1} + w)
//                                                                         [Jalon-Bayo (5.48)-(5.51), (5.52)]
// in the residual form of penalty_system.h, which reaches round-off where the above stops at eps a. v'_0 is the penalty
// formulation's, as in Table 5.1; each iteration takes the error down by about inertia/a, until d, the change of v', is
// small or rounding: in exact arithmetic d_{i+1} = K^-1 M d_i, which is always smaller in the metric of M.
#include <fmt/format.h>

#include <algorithm>

#include "formulations/penalty_system.h"

namespace bricard::formulations {
namespace {

class AugmentedLagrangian : public Formulation {
 public:
  AugmentedLagrangian(const Equations& pattern, const FormulationOptions& options)
      : system_(pattern, options),
        most_iterations_(options.iterations),
        tolerance_(options.iteration_tolerance),
        vdot_(pattern.velocities()),
        lambda_(pattern.rows()) {}

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
    count(iterate());
    system_.find_multipliers(vdot_, lambda_);
    vdot = vdot_;
    lambda = lambda_;
    if (vdot_.allFinite() && lambda_.allFinite()) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  void show(Exhibit& exhibit) override { system_.show(exhibit); }
  std::string report() const override {
    return fmt::format("{}, {:.1f} iterations on average, {} at most", system_.penalty_text(),
                       solutions_ > 0 ? static_cast<double>(iterations_) / static_cast<double>(solutions_) : 0.0,
                       largest_);
  }

 private:
  /// Number of iterations made.
  int iterate() {
    double previous = 0;
    for (int iteration = 1; iteration <= most_iterations_; ++iteration) {
      system_.advance(vdot_, lambda_);
      if (system_.change().norm() <= tolerance_ * vdot_.norm()) return iteration;
      const double size = system_.change_in_metric_of_M();
      if (iteration > 1 && !(size < previous)) return iteration;
      previous = size;
    }
    return most_iterations_;
  }
  void count(int iterations) {
    ++solutions_;
    iterations_ += iterations;
    largest_ = std::max(largest_, iterations);
  }

  PenaltySystem system_;
  int most_iterations_;
  double tolerance_;
  Vector vdot_, lambda_;
  long solutions_ = 0, iterations_ = 0;
  int largest_ = 0;
  const char* failure_ = "";
};

}  // namespace

FormulationType augmented_lagrangian() {
  return {.name = "augmented-lagrangian",
          .description =
              "penalty formulation corrected by multipliers (--iterations): exact, one positive definite "
              "matrix for any rows",
          .source = "Bayo, Garcia de Jalon, Serna 1988; Jalon-Bayo (5.48)-(5.52)",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .unique_multipliers = false,
                     .feedback = false,
                     .row_penalties = true,
                     .cost = "linear in bodies for chains and ladders (sparse above 60 coordinates)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<AugmentedLagrangian>(pattern, options);
          }};
}

}  // namespace bricard::formulations

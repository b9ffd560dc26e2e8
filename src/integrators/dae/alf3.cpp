// Index-3 augmented Lagrangian method with mass-orthogonal projections, for a fixed step:
//   M v' + P^T alpha Phi + P^T lambda* = Q,   lambda* := lambda* + alpha Phi,   by the trapezoidal rule with positions
// as unknowns, then v and v' go to Phi_dot = 0 and P v' = gamma by the least change in the metric of the same matrix,
// M + h/2 C + h^2/4 (K + P^T alpha P), which is factorised once and regular for redundant rows and at singular
// positions.
// E. Bayo, R. Ledesma, Augmented Lagrangian and mass-orthogonal projection methods for constrained multibody dynamics,
// Nonlinear Dynamics 9 (1996) 113-130; J. Cuadrado, J. Cardenal, P. Morer, E. Bayo, Intelligent simulation of multibody
// dynamics: space-state and descriptor methods in sequential and parallel computing environments, Multibody System
// Dynamics 4 (2000) 55-73.
// A penalty so small that h^2/4 alpha is below 10^6 times the largest mass is raised to that: the solution is the same,
// found sooner. Below a spectral radius of 1 the rule is that of Hilber, Hughes and Taylor. The multipliers are
// augmented within Newton's iteration, with the factorised matrix and no evaluation: what the small h^2 alpha leaves of
// Phi does not wait for the next iteration. Velocity-level rows get lambda* := lambda* + alpha (h/2) Phi_dot, a damper
// as stiff as alpha h/2, and the projection of velocities makes them exact.
#include <cmath>

#include "integrators/dae/dae_integrator.h"
#include "integrators/dae/dae_newmark.h"

namespace bricard::integrators {

namespace {

class Alf3 : public DaeIntegrator {
 public:
  Alf3(System& system, const IntegratorOptions& options)
      : DaeIntegrator("alf3", system, options),
        spectral_radius_(std::isnan(options.spectral_radius) ? 1 : options.spectral_radius),
        step_(dae_, NewmarkRule::hht(spectral_radius_),
              {.newton = {.penalty = options.penalty, .penalty_is_relative = options.penalty_is_relative},
               .iterations = options.iterations,
               .tolerance = 1e-10,
               .tolerable_change = 1e-3,
               .tolerable_error = 1e-5}) {}

 protected:
  Status begin(ConstVector xdot, ConstVector lambda) override {
    if (!(options_.step > 0)) return refuse("a fixed-step integrator needs a positive step");
    if (!(options_.penalty > 0)) return refuse("the penalty is not positive");
    if (options_.iterations < 1) return refuse("it needs at least one iteration");
    if (spectral_radius_ < 0.5)
      return refuse("its rule, that of Hilber, Hughes and Taylor, has spectral radii from 0.5 to 1");
    step_.start(time_, state_, xdot, lambda);
    return Status::ok;
  }

  Status advance(double t_end) override {
    // A last step longer by rounding is better than a last step of the length of a rounding error.
    const double remaining = t_end - time_;
    const double h = remaining < options_.step * (1 + 1e-6) ? remaining : options_.step;
    const NewmarkStep::Outcome outcome = step_.attempt(h);
    counts_.newton_iterations = step_.iterations();
    if (outcome != NewmarkStep::Outcome::converged) return fail(h, step_.cause(outcome), advice);
    if (!step_.project_velocities() || !step_.project_accelerations())
      return fail(h, "the projection of velocities and accelerations is not finite", advice);
    step_.finish();
    if (!accept(time_ + h, t_end, step_.end_state())) return fail(h, motion_failure(), advice);
    start_ = step_.start_state(), start_derivative_ = step_.start_derivative();
    step_.accept();
    return Status::ok;
  }

  bool interpolate_within(double t, VectorRef x) override {
    const StepPoint ends[] = {{start_time_, start_, start_derivative_},
                              {time_, step_.start_state(), step_.start_derivative()}};
    motion().interpolate(ends, t, x);
    return true;
  }

 private:
  static constexpr const char* advice = "a smaller step, a larger penalty, or an adaptive integrator such as hht";
  double spectral_radius_;
  NewmarkStep step_;
  Vector start_, start_derivative_;  // of the last step
};

}  // namespace

IntegratorType alf3() {
  return {.name = "alf3",
          .description =
              "index-3 augmented Lagrangian with mass-orthogonal projections, trapezoidal rule, fixed step; "
              "redundant rows and singular positions",
          .source = "Bayo, Ledesma 1996; Cuadrado et al. 2000",
          .order = 2,
          .fixed_step = true,
          .implicit = true,
          .create_for = [](System& system, const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<Alf3>(system, options);
          }};
}

}  // namespace bricard::integrators

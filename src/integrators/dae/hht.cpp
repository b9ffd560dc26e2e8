// Generalised-alpha method on the equations of index 3 with adaptive steps; see dae_newmark.h for its equations. After
// each step the velocities are projected onto Phi_dot = 0.
// J. Chung, G. Hulbert 1993; M. Arnold, O. Bruels, Convergence of the generalized-alpha scheme for constrained
// mechanical systems, Multibody System Dynamics 18 (2007) 185-202; error control after D. Negrut, R. Rampalli,
// G. Ottarsson, A. Sajdak, On an implementation of the Hilber-Hughes-Taylor method in the context of index 3
// differential-algebraic equations of multibody dynamics, Journal of Computational and Nonlinear Dynamics 2 (2007)
// 73-85.
// At a spectral radius of 1 errors of constraint forces would never decay: refused.
#include <algorithm>
#include <cmath>

#include "integrators/dae/dae_integrator.h"
#include "integrators/dae/dae_newmark.h"

namespace bricard::integrators {

namespace {

using sundials_support::smallest_step;

constexpr double largest_growth = 1.5;

class Hht : public DaeIntegrator {
 public:
  Hht(System& system, const IntegratorOptions& options)
      : DaeIntegrator("hht", system, options),
        spectral_radius_(std::isnan(options.spectral_radius) ? 0.8 : options.spectral_radius),
        step_(dae_, NewmarkRule::generalized_alpha(spectral_radius_),
              {.newton = {}, .iterations = 10, .tolerance = std::clamp(1e-2 * options.tolerance, 1e-12, 1e-7)}) {}

 protected:
  Status begin(ConstVector xdot, ConstVector lambda) override {
    if (!(spectral_radius_ >= 0 && spectral_radius_ < 1))
      return refuse("its spectral radius must be at least 0 and below 1");
    step_.start(time_, state_, xdot, lambda);
    next_ = 0;
    complaint_.clear();
    xdot_ = xdot;
    return Status::ok;
  }

  Status advance(double t_end) override {
    if (next_ <= 0) choose_first_step(t_end);
    std::string cause = complaint_;
    for (;;) {
      const double h = length(t_end);
      const NewmarkStep::Outcome outcome = step_.attempt(h);
      counts_.newton_iterations = step_.iterations();
      double factor = retry_factor;
      if (outcome != NewmarkStep::Outcome::converged) {
        cause = "the step size shrank to nothing because " + step_.cause(outcome);
        if (outcome == NewmarkStep::Outcome::not_finite) complaint_ = cause;
      } else if (!step_.project_velocities() || !step_.project_accelerations()) {
        cause = "the step size shrank to nothing because the projection of velocities is not finite";
      } else {
        step_.settle_multipliers();
        step_.finish();
        const double error = step_.error(options_.tolerance);
        factor = std::clamp(0.9 / std::cbrt(std::max(error, 1e-9)), 0.2, since_rejection_ < 3 ? 1.0 : largest_growth);
        if (!(error <= 1)) {
          if (cause.empty()) cause = "the step size shrank to nothing without meeting the tolerance";
          factor = std::min(factor, 0.9);
        } else if (accept(time_ + h, t_end, step_.end_state())) {
          start_ = step_.start_state(), start_derivative_ = step_.start_derivative();
          step_.accept();
          if (++since_rejection_ > 3) complaint_.clear();
          // Small changes are not worth a new matrix; a step cut short by the end says nothing about longer ones.
          if (factor > 1.2 || factor < 1) next_ = h < next_ ? std::max(next_, factor * h) : factor * h;
          return Status::ok;
        } else {
          cause = "the step size shrank to nothing because " + motion_failure();
          factor = retry_factor;
        }
      }
      ++counts_.rejected;
      since_rejection_ = 0;
      next_ = factor * h;
      if (next_ <= smallest_step(time_))
        return fail(h, cause, complaint_.empty() ? "a larger tolerance or another integrator such as ida" : "");
    }
  }

  bool interpolate_within(double t, VectorRef x) override {
    const StepPoint ends[] = {{start_time_, start_, start_derivative_},
                              {time_, step_.start_state(), step_.start_derivative()}};
    motion().interpolate(ends, t, x);
    return true;
  }

 private:
  double length(double t_end) const {
    const double remaining = t_end - time_;
    const double h = options_.step > 0 ? std::min(next_, options_.step) : next_;
    if (h * (1 + 1e-10) >= remaining) return remaining;
    return 2 * h * (1 - 1e-10) > remaining ? 0.5 * remaining : h;  // two equal steps rather than a long and a tiny one
  }

  // v'' at the start from a short step along v and v', which the rule needs for the first a. From it, from v and from
  // v' the times in which the motion changes by as much as the model's size, and the part of them that the tolerance
  // allows.
  void choose_first_step(double t_end) {
    const int np = dae_.positions(), n = dae_.velocities();
    const auto v = state_.segment(np, n);
    const auto vdot = xdot_.segment(np, n);
    const double speed = n > 0 ? v.cwiseQuotient(step_.scales()).lpNorm<Eigen::Infinity>() : 0;
    const double acceleration = n > 0 ? vdot.cwiseQuotient(step_.scales()).lpNorm<Eigen::Infinity>() : 0;
    const double longest = options_.step > 0 ? std::min(options_.step, t_end - time_) : t_end - time_;
    const double part = std::cbrt(options_.tolerance);
    next_ = longest;
    if (speed > 0) next_ = std::min(next_, part / speed);
    if (acceleration > 0) next_ = std::min(next_, part / std::sqrt(acceleration));
    const double ahead = 1e-3 * next_;
    Vector x = state_, xdot = xdot_;
    dae_.coordinates().advance(x.head(np), ahead * v + 0.5 * ahead * ahead * vdot);
    x.segment(np, n) += ahead * vdot;
    if (derivative(time_ + ahead, x, xdot) == Status::ok) {
      const Vector jerk = (xdot.segment(np, n) - vdot) / ahead;
      step_.set_jerk(jerk);
      const double size = n > 0 ? jerk.cwiseQuotient(step_.scales()).lpNorm<Eigen::Infinity>() : 0;
      if (size > 0) next_ = std::min(next_, part / std::cbrt(size));
    }
  }

  double spectral_radius_;
  NewmarkStep step_;
  double next_ = 0;                         // length of the next step
  std::string complaint_;                   // of the equations, shortly before: theirs to advise on
  int since_rejection_ = 3;                 // accepted steps
  Vector xdot_, start_, start_derivative_;  // at the start; and of the last step
};

}  // namespace

IntegratorType hht() {
  return {.name = "hht",
          .description =
              "generalised-alpha on the constrained equations (index 3) with numerical damping and adaptive "
              "steps; stiff motion, moderate tolerances",
          .source = "Chung, Hulbert 1993; Arnold, Bruels 2007",
          .order = 2,
          .fixed_step = false,
          .implicit = true,
          .create_for = [](System& system, const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<Hht>(system, options);
          }};
}

}  // namespace bricard::integrators

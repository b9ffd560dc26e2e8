// `baumgarte`: gamma_k - 2 alpha_k Phi_dot_k - beta_k^2 Phi_k; velocity-level rows gamma_k - alpha_k Phi_dot_k.
//                                                             [Baumgarte 1972; Pennestri-Valentini (90), Pekal-Fraczek]
// Rules that set alpha = beta, so that a row's error obeys a double root -alpha; h is the last step, and c the largest c
// for which the integrator's x' = -(c/h) x does not grow:
//   stability   alpha = theta c / h. theta = 1 is the limit, and far from the best: stages of a step lie O(h^2) off the
//               constraints, where beta^2 Phi would be O(1).
//   adaptive    over windows of steps the root mean square of |Phi| is compared: alpha goes on growing by half as long as
//               it falls, and turns back where it rises; up to c / 2h, and not so far down that errors of one window
//               would be left in the next. That larger errors should always have larger gains would drive alpha to the
//               upper limit, where they are largest.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "stabilization/stabilization.h"

namespace bricard::stabilizations {
namespace {

class Baumgarte : public Stabilization {
 public:
  Baumgarte(System& system, const StabilizationOptions& options)
      : system_(system), rule_(options.gains), stable_gain_(options.stable_gain) {
    const int rows = system.row_count();
    feedback_ = {Vector(rows), Vector(rows)};
    for (int row = 0; row < rows; ++row) {
      set(row, options.row_alpha.size() > 0 ? options.row_alpha[row] : options.alpha,
          options.row_beta.size() > 0 ? options.row_beta[row] : options.beta);
    }
    if (rule_ == GainRule::stability && options.step > 0) set_all(stable_gain_ / options.step);
    if (rule_ == GainRule::adaptive) {
      gain_ = options.alpha;
      set_all(gain_);
      eq_ = system.empty_equations();
      no_states_ = Vector::Zero(system.state_size());
    }
  }

  StepChange renew_feedback(double t, ConstVector q, ConstVector v) override {
    const double h = t - reached_;
    reached_ = t;
    // What the end of a run, or a row, has cut off a step says nothing of the integrator.
    const bool is_rest = h < 1e-3 * step_;
    step_ = h;
    if (rule_ == GainRule::fixed || !(h > 0) || is_rest) return StepChange::none;
    if (rule_ == GainRule::stability)
      gain_ = stable_gain_ / h;
    else if (!adapt(t, q, v, h))
      return StepChange::none;
    least_ = std::min(least_, gain_);
    greatest_ = std::max(greatest_, gain_);
    set_all(gain_);
    return StepChange::corrected;
  }

  std::string report() const override {
    if (greatest_ == 0) return {};
    return fmt::format("gains from {:.3g} to {:.3g} 1/s, {:.3g} at the end", least_, greatest_, gain_);
  }

 private:
  static constexpr int window = 100;
  static constexpr double growth = 1.5, decay = 5;  // over a window, e^-5 at least

  /// True at the end of a window.
  bool adapt(double t, ConstVector q, ConstVector v, double h) {
    system_.evaluate(t, q, v, no_states_, Upto::positions, eq_);
    sum_ += eq_.Phi.squaredNorm();
    duration_ += h;
    if (++steps_ < window) return false;
    if (sum_ > sum_before_) factor_ = 1 / factor_;
    const double least = decay / duration_;
    gain_ = std::clamp(factor_ * gain_, least, std::max(least, 0.5 * stable_gain_ / h));
    sum_before_ = sum_;
    sum_ = 0, steps_ = 0, duration_ = 0;
    return true;
  }

  void set_all(double gain) {
    for (int row = 0; row < system_.row_count(); ++row) set(row, gain, gain);
  }
  void set(int row, double alpha, double beta) {
    const bool of_velocities = system_.rows()[row].velocity_level;
    feedback_.rate[row] = of_velocities ? alpha : 2 * alpha;
    feedback_.position[row] = of_velocities ? 0 : beta * beta;
  }

  System& system_;
  GainRule rule_;
  double stable_gain_, gain_ = 0, step_ = 0;
  double reached_ = std::numeric_limits<double>::quiet_NaN();
  double least_ = std::numeric_limits<double>::infinity(), greatest_ = 0;
  // Of the window, and of the one before.
  int steps_ = 0;
  double duration_ = 0, sum_ = 0, sum_before_ = std::numeric_limits<double>::infinity(), factor_ = growth;
  Equations eq_;
  Vector no_states_;
};

}  // namespace

StabilizationType baumgarte() {
  return {.name = "baumgarte",
          .description = "feedback of constraint errors into the accelerations (--alpha, --beta, --gains)",
          .source = "Baumgarte 1972; Pennestri-Valentini (90)",
          .feedback = true,
          .corrections = false,
          .rules = true,
          .create = [](System& system, const StabilizationOptions& options) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Baumgarte>(system, options);
          }};
}

}  // namespace bricard::stabilizations

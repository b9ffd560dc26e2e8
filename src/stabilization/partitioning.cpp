#include "stabilization/partitioning.h"

#include <fmt/format.h>

#include <cmath>

#include "formulations/partition_newton.h"
#include "system/typical_inertia.h"

namespace bricard {

PartitioningCorrection::PartitioningCorrection(System& system, const StabilizationOptions& options)
    : system_(system),
      eq_(system.empty_equations()),
      partition_(eq_, {.threshold = options.threshold,
                       .selection = options.selection,
                       .independent = options.independent,
                       .keep_partition = options.keep_partition,
                       .hysteresis = options.hysteresis,
                       .typical_inertia = typical_inertia(system)}),
      no_states_(Vector::Zero(system.state_size())),
      step_(system.velocity_size()),
      tolerance_(1e-13 * std::max(1.0, system.model().characteristic_length())) {}

StepChange PartitioningCorrection::correct(double t, VectorRef q, VectorRef v) {
  if (eq_.rows() == 0) return StepChange::none;
  failure_.clear();
  system_.evaluate(t, q, v, no_states_, Upto::dynamics, eq_);
  const double rate_tolerance = tolerance_ * std::max(1.0, v.lpNorm<Eigen::Infinity>());
  if (eq_.Phi.norm() <= tolerance_ && eq_.Phi_dot.norm() <= rate_tolerance) return StepChange::none;
  // The choice serves until the selection has a better one; at a singular position the old one is kept.
  if (!partition_.is_chosen() || !partition_.factorize(eq_) || partition_.is_outdated()) {
    const bool first = !partition_.is_chosen();
    if (partition_.choose(eq_, first ? -1 : partition_.freedoms())) ++choices_;
    if (first && !partition_.is_chosen()) {
      failure_ = "no independent coordinates can be chosen";
      return StepChange::failed;
    }
    no_change_.setZero(partition_.freedoms());
  }
  const bool found = find_dependent_positions(
      tolerance_, tolerance_, 2, [&] { return eq_.Phi.norm(); },
      [&] {
        if (!partition_.factorize(eq_)) return false;
        partition_.solve(-eq_.Phi, no_change_, step_);
        system_.coordinates().advance(q, step_);
        system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
        return true;
      });
  if (!found) {
    failure_ = "the dependent coordinates cannot be found from the independent ones (a singular position?)";
    return StepChange::failed;
  }
  for (int pass = 0; pass < 3 && eq_.Phi_dot.norm() > rate_tolerance; ++pass) {
    if (!partition_.factorize(eq_)) break;
    partition_.solve(-eq_.Phi_dot, no_change_, step_);
    v += step_;
    system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
  }
  ++corrections_;
  return q.allFinite() && v.allFinite() ? StepChange::corrected : StepChange::failed;
}

namespace stabilizations {
namespace {

class Partitioning : public Stabilization {
 public:
  Partitioning(System& system, const StabilizationOptions& options) : correction_(system, options) {}
  bool corrects() const override { return true; }
  StepChange correct(Dynamics&, double t, VectorRef q, VectorRef v) override { return correction_.correct(t, q, v); }
  std::string failure() const override { return correction_.failure(); }
  std::string report() const override {
    return fmt::format("independent coordinates chosen {} time{}", correction_.choices(),
                       correction_.choices() == 1 ? "" : "s");
  }

 private:
  PartitioningCorrection correction_;
};

}  // namespace

StabilizationType partitioning() {
  return {.name = "partitioning",
          .description = "dependent positions and velocities from the independent ones after each step (--selection)",
          .source = "Wehage, Haug 1982; Pekal-Fraczek, section 2",
          .feedback = false,
          .corrections = true,
          .whole_only = true,
          .create = [](System& system, const StabilizationOptions& options) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Partitioning>(system, options);
          }};
}

}  // namespace stabilizations
}  // namespace bricard

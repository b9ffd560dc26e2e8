// `baumgarte-then-partitioning`: Baumgarte's feedback throughout, and partitioning after steps at whose ends it has not
// kept the constraints within a bound: |Phi| > eps, |Phi_dot| > eps max(1, |v|). (hybrid.cpp is Park and Haug's method.)
#include <fmt/format.h>

#include "stabilization/partitioning.h"

namespace bricard::stabilizations {
namespace {

class BaumgarteThenPartitioning : public Stabilization {
 public:
  BaumgarteThenPartitioning(System& system, const StabilizationOptions& options)
      : Stabilization(find_stabilization_type("baumgarte")->create(system, options)->feedback()),
        system_(system),
        correction_(system, options),
        eq_(system.empty_equations()),
        no_states_(Vector::Zero(system.state_size())),
        bound_(bound_of(options, system)) {}

  bool corrects() const override { return true; }
  StepChange correct(Dynamics&, double t, VectorRef q, VectorRef v) override {
    system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
    if (eq_.Phi.norm() <= bound_ && eq_.Phi_dot.norm() <= bound_ * std::max(1.0, v.lpNorm<Eigen::Infinity>()))
      return StepChange::none;
    return correction_.correct(t, q, v);
  }
  std::string failure() const override { return correction_.failure(); }
  std::string report() const override {
    if (correction_.corrections() == 0) return "feedback alone kept the constraints within bounds";
    return fmt::format("where feedback failed, partitioning corrected {} states", correction_.corrections());
  }

 private:
  System& system_;
  PartitioningCorrection correction_;
  Equations eq_;
  Vector no_states_;
  double bound_;
};

}  // namespace

StabilizationType baumgarte_then_partitioning() {
  return {
      .name = "baumgarte-then-partitioning",
      .description = "Baumgarte's feedback throughout, and partitioning after steps where it fails (--hybrid-bound)",
      .source = "Baumgarte 1972; Wehage, Haug 1982",
      .feedback = true,
      .corrections = true,
      .whole_only = true,
      .create = [](System& system, const StabilizationOptions& options) -> std::unique_ptr<Stabilization> {
        return std::make_unique<BaumgarteThenPartitioning>(system, options);
      }};
}

}  // namespace bricard::stabilizations

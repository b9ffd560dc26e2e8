// `hybrid`: Baumgarte's feedback as long as it keeps the constraints within bounds, partitioning when it fails to.
//                                                                                                     [Park, Haug 1986]
#include <fmt/format.h>

#include "stabilization/partitioning.h"

namespace bricard::stabilizations {
namespace {

class Hybrid : public Stabilization {
 public:
  Hybrid(System& system, const StabilizationOptions& options)
      : Stabilization(find_stabilization_type("baumgarte")->create(system, options)->feedback()),
        system_(system),
        correction_(system, options),
        eq_(system.empty_equations()),
        no_states_(Vector::Zero(system.state_size())),
        bound_(options.bound * std::max(1.0, system.model().characteristic_length())) {}

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

StabilizationType hybrid() {
  return {.name = "hybrid",
          .description = "Baumgarte's feedback, and partitioning when it fails to keep the constraints",
          .source = "Park, Haug 1986",
          .feedback = true,
          .corrections = true,
          .whole_only = true,
          .create = [](System& system, const StabilizationOptions& options) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Hybrid>(system, options);
          }};
}

}  // namespace bricard::stabilizations

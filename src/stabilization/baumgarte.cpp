// `baumgarte`: gamma - 2 alpha Phi_dot - beta^2 Phi; velocity-level rows gamma - alpha Phi_dot.
//                                                                     [Baumgarte 1972; Pennestri-Valentini (90),
//                                                                     Pekal-Fraczek]
#include "stabilization/stabilization.h"

namespace bricard::stabilizations {
namespace {

class Baumgarte : public Stabilization {
 public:
  Baumgarte(const System& system, const StabilizationOptions& options)
      : rate_gain_(Vector::Constant(system.row_count(), 2 * options.alpha)),
        alpha_(options.alpha),
        beta_(options.beta) {
    for (int row = 0; row < system.row_count(); ++row) {
      if (system.rows()[row].velocity_level) rate_gain_[row] = options.alpha;
    }
  }

  void adjust(const Equations& eq, VectorRef gamma) override {
    gamma -= rate_gain_.cwiseProduct(eq.Phi_dot) + beta_ * beta_ * eq.Phi;  // Phi is zero in velocity-level rows
  }

  std::optional<GraphStabilization> in_graph() const override {
    return GraphStabilization{.alpha = alpha_, .beta = beta_};
  }

 private:
  Vector rate_gain_;
  double alpha_, beta_;
};

}  // namespace

StabilizationType baumgarte() {
  return {.name = "baumgarte",
          .description = "feedback of constraint errors into the accelerations (--alpha, --beta)",
          .source = "Baumgarte 1972; Pennestri-Valentini (90)",
          .feedback = true,
          .corrections = false,
          .create = [](System& system, const StabilizationOptions& options) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Baumgarte>(system, options);
          }};
}

}  // namespace bricard::stabilizations

// `baumgarte`: gamma - 2 alpha Phi_dot - beta^2 Phi; velocity-level rows gamma - alpha Phi_dot.
//                                                             [Baumgarte 1972; Pennestri-Valentini (90), Pekal-Fraczek]
#include "stabilization/stabilization.h"

namespace bricard::stabilizations {
namespace {

Feedback gains(const System& system, double alpha, double beta) {
  Feedback feedback{.rate = Vector::Constant(system.row_count(), 2 * alpha),
                    .position = Vector::Constant(system.row_count(), beta * beta)};
  for (int row = 0; row < system.row_count(); ++row) {
    if (!system.rows()[row].velocity_level) continue;
    feedback.rate[row] = alpha;
    feedback.position[row] = 0;
  }
  return feedback;
}

}  // namespace

StabilizationType baumgarte() {
  return {.name = "baumgarte",
          .description = "feedback of constraint errors into the accelerations (--alpha, --beta)",
          .source = "Baumgarte 1972; Pennestri-Valentini (90)",
          .feedback = true,
          .corrections = false,
          .create = [](System& system, const StabilizationOptions& options) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Stabilization>(gains(system, options.alpha, options.beta));
          }};
}

}  // namespace bricard::stabilizations

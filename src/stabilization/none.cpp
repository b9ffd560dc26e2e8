// `none`: accelerations satisfy the constraints, positions and velocities drift as the integrator lets them.
#include "stabilization/stabilization.h"

namespace bricard::stabilizations {

StabilizationType none() {
  return {.name = "none",
          .description = "no stabilisation: constraints drift with the integration error",
          .source = "",
          .feedback = false,
          .corrections = false,
          .create = [](System&, const StabilizationOptions&) -> std::unique_ptr<Stabilization> {
            return std::make_unique<Stabilization>();
          }};
}

}  // namespace bricard::stabilizations

// Backward differentiation formulas of order 1 to 5, variable order and step, solved by Newton's method: for stiff
// motion. C. W. Gear, Numerical Initial Value Problems in Ordinary Differential Equations, Prentice-Hall 1971;
// Hindmarsh et al. 2005; [Hairer-Wanner, Solving ODEs II, V.1].
#include <limits>

#include "integrators/multistep/multistep.h"

namespace bricard::integrators {

IntegratorType bdf() {
  return {.name = "bdf",
          .description = "backward differentiation of variable order (1 to 5) and step; the choice for stiff motion",
          .source = "Gear 1971; Hindmarsh et al. 2005 (CVODE)",
          .order = 0,
          .fixed_step = false,
          .implicit = true,
          .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<Multistep>("bdf", Multistep::Family::bdf, options);
          },
          .real_stability = std::numeric_limits<double>::infinity()};
}

}  // namespace bricard::integrators

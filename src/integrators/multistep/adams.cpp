// Adams-Moulton methods of order 1 to 12, variable order and step, solved by fixed-point iteration: few evaluations for
// smooth, non-stiff motion. Byrne & Hindmarsh 1975, Hindmarsh et al. 2005; [Hairer-Norsett-Wanner, Solving ODEs I,
// III.1 and III.5].
#include "integrators/multistep/multistep.h"

namespace bricard::integrators {

IntegratorType adams() {
  return {.name = "adams",
          .description = "Adams-Moulton of variable order (1 to 12) and step; few evaluations when they are expensive",
          .source = "Byrne & Hindmarsh 1975; Hindmarsh et al. 2005 (CVODE)",
          .order = 0,
          .fixed_step = false,
          .implicit = false,  // the formulas are, but without Newton's method they have no stability to show for it
          .create = [](const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            return std::make_unique<Multistep>("adams", Multistep::Family::adams, options);
          }};
}

}  // namespace bricard::integrators

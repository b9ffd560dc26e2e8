// `canonical-independent`: state (q, y) with the momenta of independent velocities.   [Bae-Won 1990; Jalon-Bayo
// Algorithm 5-7]
#include "formulations/formulation.h"
#include "motions/canonical_independent_motion.h"

namespace bricard::formulations {

FormulationType canonical_independent() {
  return {.name = "canonical-independent",
          .description = "integrates all positions and the momenta of independent velocities (--selection)",
          .source = "Bae, Won 1990; Jalon-Bayo (5.104)-(5.112), Algorithm 5-7",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .feedback = false,
                     .corrections = false,
                     .singular_positions = true,
                     .rates_only = true,
                     .cost = "cubic (dense)"},
          .create_motion = [](System& system, const FormulationOptions& options, std::unique_ptr<Stabilization>,
                              ConstVector q, ConstVector v) -> std::unique_ptr<MechanismMotion> {
            require_linear_rows(system, q, v, "canonical-independent");
            auto motion =
                std::make_unique<CanonicalIndependentMotion>(system, options, *find_selection_type(options.selection));
            return motion->begin(0, q, v) ? std::move(motion) : nullptr;
          }};
}

}  // namespace bricard::formulations

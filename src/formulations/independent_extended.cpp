// `independent-extended`: state (q, z') with independent velocities.                        [Paul 1975; Jalon-Bayo
// Algorithm 5-4]
#include "formulations/formulation.h"
#include "motions/independent_extended_motion.h"

namespace bricard::formulations {

FormulationType independent_extended() {
  return {.name = "independent-extended",
          .description = "integrates all positions and independent velocities (--selection)",
          .source = "Paul 1975; Jalon-Bayo Algorithm 5-4",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .feedback = false,
                     .corrections = false,
                     .singular_positions = true,
                     .cost = "cubic (dense)"},
          .create_motion = [](System& system, const FormulationOptions& options, std::unique_ptr<Stabilization>,
                              ConstVector q, ConstVector v) -> std::unique_ptr<MechanismMotion> {
            auto motion =
                std::make_unique<IndependentExtendedMotion>(system, options, *find_selection_type(options.selection));
            return motion->begin(0, q, v) ? std::move(motion) : nullptr;
          }};
}

}  // namespace bricard::formulations

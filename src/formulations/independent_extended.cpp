// `independent-extended`: state (q, z') with independent velocities.              [Paul 1975; Jalon-Bayo Algorithm 5-4]
#include "formulations/formulation.h"

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
          .state = State::extended};
}

}  // namespace bricard::formulations

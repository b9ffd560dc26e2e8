// `canonical-independent`: state (q, y) with the momenta of independent velocities.
//                                                                              [Bae-Won 1990; Jalon-Bayo Algorithm 5-7]
#include "formulations/formulation.h"

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
                     .cost = "cubic (dense)"},
          .state = State::independent_momenta};
}

}  // namespace bricard::formulations

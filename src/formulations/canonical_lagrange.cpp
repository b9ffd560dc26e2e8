// `canonical-lagrange`: state (q, p) of positions and canonical momenta.
//                                                                  [Lankarani-Nikravesh 1988; Jalon-Bayo Algorithm 5-6]
#include "formulations/formulation.h"

namespace bricard::formulations {

FormulationType canonical_lagrange() {
  return {.name = "canonical-lagrange",
          .description = "canonical momenta, with Lagrange multipliers of velocities; constraints differentiated once",
          .source = "Lankarani, Nikravesh 1988; Jalon-Bayo (5.100)-(5.103), Algorithm 5-6",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .feedback = false,
                     .cost = "as lagrange; redundant rows: cubic (dense)"},
          .state = State::momenta};
}

}  // namespace bricard::formulations

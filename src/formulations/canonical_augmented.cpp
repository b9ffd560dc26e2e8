// `canonical-augmented`: state (q, p, w) with modified momenta and integrals of the constraint errors.
//                                                                          [Bayo-Avello 1994; Jalon-Bayo Algorithm 5-8]
#include "formulations/formulation.h"

namespace bricard::formulations {

FormulationType canonical_augmented() {
  return {.name = "canonical-augmented",
          .description = "canonical momenta by the augmented Lagrangian, with integrals of constraint errors fed back",
          .source = "Bayo, Avello 1994; Jalon-Bayo (5.118)-(5.121), (5.125)-(5.126), Algorithm 5-8",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .feedback = false,
                     .singular_positions = true,
                     .row_penalties = true,
                     .cost = "as augmented-lagrangian"},
          .state = State::augmented_momenta};
}

}  // namespace bricard::formulations

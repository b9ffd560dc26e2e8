// `canonical-reduced`: state (z, y), independent coordinates and the momenta of their rates.
//                                                                              [Bae-Won 1990; Jalon-Bayo Algorithm 5-7]
#include "formulations/formulation.h"

namespace bricard::formulations {

FormulationType canonical_reduced() {
  return {.name = "canonical-reduced",
          .description =
              "integrates independent coordinates and the momenta of their rates; positions by Newton-Raphson "
              "(--selection)",
          .source = "Bae, Won 1990; Jalon-Bayo (5.104)-(5.112), Algorithm 5-7 as printed",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .feedback = false,
                     .corrections = false,
                     .singular_positions = true,
                     .velocity_rows = false,
                     .rates_only = true,
                     .cost = "cubic (dense)"},
          .state = State::reduced_momenta};
}

}  // namespace bricard::formulations

// `independent`: state (z, z') of independent coordinates.                 [Wehage-Haug 1982; Jalon-Bayo Algorithm 5-5]
#include "formulations/formulation.h"

namespace bricard::formulations {

FormulationType independent() {
  return {
      .name = "independent",
      .description = "integrates independent coordinates and their rates; positions by Newton-Raphson (--selection)",
      .source = "Wehage, Haug 1982; Jalon-Bayo (5.59)-(5.67), Algorithm 5-5",
      .traits = {.redundant_rows = true,
                 .singular_mass = true,
                 .feedback = false,
                 .corrections = false,
                 .singular_positions = true,
                 .velocity_rows = false,
                 .rates_only = true,
                 .cost = "cubic (dense)"},
      .state = State::independent};
}

}  // namespace bricard::formulations

// `closing-conditions`: state (q_I, v_I) of independent joint coordinates; the others by inverse kinematics.
//                                                                          [Blajer-Schiehlen-Schirm (27)-(32), section 4]
// The algebra is in dynamics/closing, the state in motions/closing_motion.h.
#include "formulations/formulation.h"

namespace bricard::formulations {

FormulationType closing_conditions() {
  return {.name = "closing-conditions",
          .description =
              "minimal equations; loops closed explicitly by inverse kinematics, no equations to solve "
              "(--selection)",
          .source = "Blajer, Schiehlen, Schirm 1994, (27)-(32); Woernle 1988",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .feedback = false,
                     .corrections = false,
                     .tree_only = true,
                     .velocity_rows = false,
                     .cost = "cubic (dense)"},
          .state = State::closing};
}

}  // namespace bricard::formulations

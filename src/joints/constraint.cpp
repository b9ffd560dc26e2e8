// Expressions of body and joint quantities that are kept at zero; with velocities in them, at the velocity level.
#include "joints/row_builder.h"

namespace bricard::joint_kinds {

JointType constraint() {
  return {.name = "constraint",
          .description = "keeps expressions of body and joint quantities at zero; one row for each",
          .planar_rows = 1,
          .spatial_rows = 1,
          .general_rows = true,
          .keys = {"no-bodies", "expression"},
          .build = [](const Joint& joint, RowBuilder& builder) {
            for (std::size_t k = 0; k < joint.expressions.size(); ++k) {
              builder.formula(joint.expressions[k],
                              joint.expressions.size() == 1 ? "expression" : "expression " + std::to_string(k + 1));
            }
          }};
}

}  // namespace bricard::joint_kinds

// Pennestri and Valentini: the pendulum of section 8 and the gear train of section 6.1.
#include "papers/pennestri_gear_train.h"
#include "papers/pennestri_pendulum.h"

namespace bricard::paper_list {

Paper pennestri_valentini() {
  return {"pennestri-valentini",
          "E. Pennestri, P. P. Valentini: Coordinate reduction strategies in multibody dynamics: a review. 2007",
          {{"table-2", "Table 2: seven methods on the pendulum", pennestri_table_2},
           {"figures", "The listing's plots: angular displacement, constraint error", pennestri_figures},
           {"section-6.1", "Section 6.1: reduced matrices of a gear train", pennestri_gear_train}}};
}

}  // namespace bricard::paper_list

// An independent set of constraint rows, for integrators whose Newton matrix has a column for every multiplier.
#pragma once

#include <vector>

#include "integrators/dae/dae_equations.h"

namespace bricard {

struct IndependentRows {
  std::vector<int> rows;
  Vector multipliers;  // of all rows: of the chosen ones alone, loading the mechanism as the given ones do
  bool redundant = false;
};

/// At an instant; `lambda` are multipliers of all rows.
IndependentRows choose_independent_rows(DaeEquations& dae, double t, ConstVector q, ConstVector v, ConstVector states,
                                        ConstVector lambda);

}  // namespace bricard

// Gains and penalties of single joints and constraints, brought to the rows of a System.
#pragma once

#include "bricard/method.h"
#include "bricard/types.h"
#include "system/system.h"

namespace bricard {

/// Of each row; a row without a value of its own has the method's. Empty where no row has one.
struct GainsByRow {
  Vector alpha, beta, penalty, omega, mu;
};

/// A constraint's own value comes before that of its joint. Throws InputError for names that no constraint has.
GainsByRow gains_by_row(const System& system, const Method& method);

}  // namespace bricard

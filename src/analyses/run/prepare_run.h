// What comes before the first step of a simulation: assembly, structure, the choice of a method.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "bricard/model.h"
#include "bricard/simulate.h"
#include "system/system.h"

namespace bricard {

struct PreparedRun {
  Assembly assembly;
  std::unique_ptr<System> system;   // at the assembled start
  Summary start;                    // structure, chosen method, notes, messages
  int generic_rank = 0;             // of the constraints, at the start or beside it
  bool dynamics_were_free = false;  // the engine was left to `auto`: a run may change it
};

/// Throws InputError for a model that cannot be assembled and for a method that does not fit.
PreparedRun prepare_run(const std::shared_ptr<const Model>& model, const Method& method);

/// When results are recorded: every step, and at the end also when that is no multiple of it.
struct RowTimes {
  double step, end;
  long last() const { return static_cast<long>(std::ceil(end / step * (1 - 1e-12))); }
  /// k steps from the start; where the step is 1/n, as k/n, which prints as 0.41 and not as 0.41000000000000003.
  double operator[](long k) const {
    const double inverse = std::round(1 / step);
    const bool whole = std::abs(inverse * step - 1) < 1e-12;
    const auto count = static_cast<double>(k);
    return std::min(whole ? count / inverse : count * step, end);
  }
};

}  // namespace bricard

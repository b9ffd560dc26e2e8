// What comes before the first step of a simulation: assembly, structure, the choice of a method.
#pragma once

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

}  // namespace bricard

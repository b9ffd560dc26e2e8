#include <algorithm>

#include "model/registry.h"
#include "stabilization/stabilization.h"

namespace bricard {

namespace stabilizations {
#define STABILIZATION(function) StabilizationType function();
#include "stabilization/stabilizations.def"
#undef STABILIZATION
}  // namespace stabilizations

namespace {

const Registry<StabilizationType>& registry() {
  static const Registry<StabilizationType> types = {
#define STABILIZATION(function) stabilizations::function(),
#include "stabilization/stabilizations.def"
#undef STABILIZATION
  };
  return types;
}

}  // namespace

double bound_of(const StabilizationOptions& options, const System& system) {
  return options.bound > 0 ? options.bound : 1e-6 * std::max(1.0, system.model().characteristic_length());
}

const std::deque<StabilizationType>& stabilization_types() { return registry().all(); }
const StabilizationType* find_stabilization_type(const std::string& name) { return registry().find(name); }

}  // namespace bricard

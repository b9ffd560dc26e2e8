#include "stabilization/stabilization.h"

namespace bricard {

namespace stabilizations {
#define STABILIZATION(function) StabilizationType function();
#include "stabilization/stabilizations.def"
#undef STABILIZATION
}  // namespace stabilizations

const std::vector<StabilizationType>& stabilization_types() {
  static const std::vector<StabilizationType> types = {
#define STABILIZATION(function) stabilizations::function(),
#include "stabilization/stabilizations.def"
#undef STABILIZATION
  };
  return types;
}

const StabilizationType* find_stabilization_type(const std::string& name) {
  for (const StabilizationType& type : stabilization_types()) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

}  // namespace bricard

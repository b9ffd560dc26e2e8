// The table of integrators, made from integrators.def.
#include "integrators/integrator.h"

namespace bricard {

namespace integrators {
#define INTEGRATOR(function) IntegratorType function();
#include "integrators/integrators.def"
#undef INTEGRATOR
}  // namespace integrators

const std::vector<IntegratorType>& integrator_types() {
  static const std::vector<IntegratorType> types = {
#define INTEGRATOR(function) integrators::function(),
#include "integrators/integrators.def"
#undef INTEGRATOR
  };
  return types;
}

const IntegratorType* find_integrator_type(const std::string& name) {
  for (const IntegratorType& type : integrator_types())
    if (name == type.name) return &type;
  return nullptr;
}

}  // namespace bricard

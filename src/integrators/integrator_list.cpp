// The table of integrators, made from integrators.def.
#include "bricard/extend.h"
#include "integrators/integrator.h"
#include "model/registered_types.h"

namespace bricard {

namespace integrators {
#define INTEGRATOR(function) IntegratorType function();
#include "integrators/integrators.def"
#undef INTEGRATOR
}  // namespace integrators

namespace {

std::vector<IntegratorType>& types() {
  static std::vector<IntegratorType> all = {
#define INTEGRATOR(function) integrators::function(),
#include "integrators/integrators.def"
#undef INTEGRATOR
  };
  return all;
}

}  // namespace

const std::vector<IntegratorType>& integrator_types() { return types(); }

void register_integrator(const IntegratorType& type) { register_type(types(), type, "integrator"); }

const IntegratorType* find_integrator_type(const std::string& name) {
  for (const IntegratorType& type : integrator_types())
    if (name == type.name) return &type;
  return nullptr;
}

}  // namespace bricard

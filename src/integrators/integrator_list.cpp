// The table of integrators, made from integrators.def.
#include "bricard/extend.h"
#include "integrators/integrator.h"
#include "model/registry.h"

namespace bricard {

namespace integrators {
#define INTEGRATOR(function) IntegratorType function();
#include "integrators/integrators.def"
#undef INTEGRATOR
}  // namespace integrators

namespace {

Registry<IntegratorType>& registry() {
  static Registry<IntegratorType> types = {
#define INTEGRATOR(function) integrators::function(),
#include "integrators/integrators.def"
#undef INTEGRATOR
  };
  return types;
}

}  // namespace

const std::deque<IntegratorType>& integrator_types() { return registry().all(); }
const IntegratorType* find_integrator_type(const std::string& name) { return registry().find(name); }
void register_integrator(const IntegratorType& type) { registry().add(type, "integrator"); }

}  // namespace bricard

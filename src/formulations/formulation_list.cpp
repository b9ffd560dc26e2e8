#include "bricard/extend.h"
#include "formulations/formulation.h"
#include "model/registry.h"

namespace bricard {

namespace formulations {
#define FORMULATION(function) FormulationType function();
#include "formulations/formulations.def"
#undef FORMULATION
}  // namespace formulations

namespace {

Registry<FormulationType>& registry() {
  static Registry<FormulationType> types = {
#define FORMULATION(function) formulations::function(),
#include "formulations/formulations.def"
#undef FORMULATION
  };
  return types;
}

}  // namespace

const std::deque<FormulationType>& formulation_types() { return registry().all(); }
const FormulationType* find_formulation_type(const std::string& name) { return registry().find(name); }
void register_formulation(const FormulationType& type) { registry().add(type, "formulation"); }

}  // namespace bricard

#include "formulations/formulation.h"

#include "bricard/extend.h"
#include "model/registered_types.h"

namespace bricard {

namespace formulations {
#define FORMULATION(function) FormulationType function();
#include "formulations/formulations.def"
#undef FORMULATION
}  // namespace formulations

namespace {

std::vector<FormulationType>& types() {
  static std::vector<FormulationType> all = {
#define FORMULATION(function) formulations::function(),
#include "formulations/formulations.def"
#undef FORMULATION
  };
  return all;
}

}  // namespace

const std::vector<FormulationType>& formulation_types() { return types(); }

void register_formulation(const FormulationType& type) { register_type(types(), type, "formulation"); }

const FormulationType* find_formulation_type(const std::string& name) {
  for (const FormulationType& type : formulation_types()) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

}  // namespace bricard

#include "formulations/formulation.h"

#include "motions/mechanism_motion.h"

namespace bricard {

namespace formulations {
#define FORMULATION(function) FormulationType function();
#include "formulations/formulations.def"
#undef FORMULATION
}  // namespace formulations

const std::vector<FormulationType>& formulation_types() {
  static const std::vector<FormulationType> types = {
#define FORMULATION(function) formulations::function(),
#include "formulations/formulations.def"
#undef FORMULATION
  };
  return types;
}

const FormulationType* find_formulation_type(const std::string& name) {
  for (const FormulationType& type : formulation_types()) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

}  // namespace bricard

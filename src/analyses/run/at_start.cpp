// What can be asked of a model before it runs: its assembled start, its structure there, the method of a run.
#include "analyses/assembly/assembly.h"
#include "analyses/choice/choose_method.h"
#include "analyses/run/own_units.h"
#include "analyses/run/prepare_run.h"
#include "analyses/structure/structure.h"

namespace bricard {

Assembly assemble(const std::shared_ptr<const Model>& model, const std::string& coordinates, unsigned seed) {
  const CoordinatesType& type = choose_coordinates(*model, {.coordinates = coordinates});
  const OwnUnits own(model);
  Assembly assembly = assemble(own.differ() ? own.model() : model, type, seed);
  if (own.differ()) own.to_si(assembly, type);
  return assembly;
}

Structure analyze_structure(const std::shared_ptr<const Model>& model, const std::string& coordinates) {
  if (const OwnUnits own(model); own.differ())
    return own.translate_errors([&] { return analyze_structure(own.model(), coordinates); });
  const CoordinatesType& type = choose_coordinates(*model, {.coordinates = coordinates});
  const Assembly assembly = assemble(model, type);
  if (!assembly.ok) throw InputError(assembly.message);
  System system(model, type);
  start_at(system, assembly);
  return analyze_structure(system, assembly.q, assembly.v);
}

ChosenMethod choose_method(const std::shared_ptr<const Model>& model, const Method& requested) {
  if (const OwnUnits own(model, requested); own.differ()) {
    ChosenMethod chosen = own.translate_errors([&] { return choose_method(own.model(), own.method(requested)); });
    chosen.method = own.method_to_si(chosen.method);
    own.to_si(chosen.reason);
    return chosen;
  }
  return prepare_run(model, requested).start.chosen;
}

}  // namespace bricard

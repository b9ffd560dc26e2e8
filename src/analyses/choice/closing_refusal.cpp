#include "analyses/choice/closing_refusal.h"

#include <fmt/format.h>

#include "analyses/choice/given_coordinates.h"
#include "bricard/input_error.h"
#include "dynamics/closing/closing_choice.h"
#include "formulations/partition.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw InputError("formulation 'closing-conditions' cannot be used here: " + reason);
}

/// The first few choices that serve.
std::string others(const System& system, const ClosingSets& sets) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, sets.admissible.size()); ++k)
    text += (k ? "; " : "") + names_of(system, sets.admissible[k].coordinates);
  if (text.empty()) return "no other choice closes all loops either";
  return "all loops close from " + text + (sets.admissible.size() > most ? "; and more" : "");
}

}  // namespace

void refuse_open_loops(System& system, ConstVector q, ConstVector v, const Method& method) {
  const LoopGraph graph(system);
  if (!graph.problem.empty()) refuse(graph.problem);
  Equations eq = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  FormulationOptions options{.selection = "gauss", .typical_inertia = typical_inertia(system)};
  Partition any(eq, options);
  if (!any.choose(eq)) refuse("no independent coordinates can be chosen at the start: is it a singular position?");
  const ClosingSets sets = closing_sets(system, graph, eq, any.R(), q);
  if (method.selection == "projective") {
    if (sets.admissible.empty()) refuse(sets.problem);
    return;
  }
  std::vector<int> chosen;
  if (gives_coordinates(method.selection)) {
    chosen = coordinates_of(given_coordinates(system, method.selection));
  } else {
    options.selection = method.selection;
    Partition partition(eq, options);
    if (partition.choose(eq)) chosen = partition.coordinates();
  }
  if (chosen.empty() && any.freedoms() > 0)
    refuse(
        fmt::format("selection '{}' makes combinations, and closing conditions take coordinates themselves: give "
                    "their names, or use 'projective'",
                    method.selection));
  ClosingConditions conditions(system, graph, chosen);
  if (!conditions.problem().empty())
    refuse(fmt::format("from {} not all loops close. {}; {}", names_of(system, chosen), conditions.problem(),
                       others(system, sets)));
  if (!conditions.begin(0, q))
    refuse(fmt::format("from {} the loops cannot be closed at the start: {}; {}", names_of(system, chosen),
                       conditions.failure(), others(system, sets)));
}

}  // namespace bricard

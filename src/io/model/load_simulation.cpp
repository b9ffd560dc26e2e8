// simulation: and outputs:
#include <set>

#include <fmt/format.h>

#include "io/model/loader.h"

namespace bricard {

void load_simulation(Loader& loader, const InputNode& node) {
  if (node.is_null()) return;
  const Fields fields(node, "the simulation",
                      {"duration",
                       "output_step",
                       "coordinates",
                       "formulation",
                       "pseudoinverse",
                       "stabilization",
                       "integrator",
                       "selection",
                       "reactions",
                       "tolerance",
                       "step",
                       "alpha",
                       "beta",
                       "threshold",
                       "reuse",
                       "penalty",
                       "penalty_kind",
                       "omega",
                       "mu",
                       "iterations",
                       "iteration_tolerance",
                       "spectral_radius",
                       "seed",
                       "reaction_length",
                       "dynamics",
                       "rescue",
                       "max_steps",
                       "time_limit",
                       "memory_limit",
                       "max_events",
                       "diagnostics"});
  Method& method = loader.model.simulation;
  const auto name = [&](const std::string& key, std::string& target) {
    if (const std::optional<InputNode> value = fields.find(key)) target = value->word("a name");
  };
  // Which names exist is known to the stations that implement them, and is checked there.
  name("coordinates", method.coordinates);
  name("formulation", method.formulation);
  name("pseudoinverse", method.pseudoinverse);
  name("stabilization", method.stabilization);
  name("integrator", method.integrator);
  name("selection", method.selection);
  name("reactions", method.reactions);
  name("penalty_kind", method.penalty_kind);
  name("dynamics", method.dynamics);
  if (const std::optional<InputNode> value = fields.find("rescue")) {
    // `on` and `off` are words here, but flags to YAML 1.1.
    method.rescue = value->word("on or off");
  }
  const auto positive = [&](const std::string& key, double& target) {
    if (const std::optional<InputNode> value = fields.find(key)) target = loader.positive(*value);
  };
  positive("duration", method.duration);
  positive("output_step", method.output_step);
  positive("tolerance", method.tolerance);
  positive("step", method.step);
  positive("threshold", method.threshold);
  positive("penalty", method.penalty);
  positive("reaction_length", method.reaction_length);
  positive("max_steps", method.max_steps);
  positive("time_limit", method.time_limit);
  positive("memory_limit", method.memory_limit);
  positive("max_events", method.max_events);
  const auto not_negative = [&](const std::string& key, double& target) {
    if (const std::optional<InputNode> value = fields.find(key)) target = loader.not_negative(*value);
  };
  not_negative("alpha", method.alpha);
  not_negative("beta", method.beta);
  not_negative("reuse", method.reuse);
  not_negative("omega", method.omega);
  not_negative("mu", method.mu);
  not_negative("iterations", method.iterations);
  not_negative("iteration_tolerance", method.iteration_tolerance);
  not_negative("spectral_radius", method.spectral_radius);
  not_negative("seed", method.seed);
  if (const std::optional<InputNode> value = fields.find("diagnostics")) method.diagnostics = value->flag();
}

void load_outputs(Loader& loader, const InputNode& node) {
  Model& model = loader.model;
  for (const NamedNode& entry : named_nodes(node, "a map of outputs")) {
    if (entry.name == "time") {
      entry.name_error("'time' is a column of every result; choose another name");
      continue;
    }
    const std::size_t index = model.outputs.size();
    model.outputs.emplace_back(entry.name, Expression());
    loader.signal_law(entry.node, {},
                      [&model, index](const Expression& expression) { model.outputs[index].second = expression; });
  }
}

}  // namespace bricard

// simulation: and outputs:
#include <set>

#include <fmt/format.h>

#include "io/model/loader.h"

namespace bricard {

const std::vector<MethodName>& method_names() {
  static const std::vector<MethodName> options = {
      {"coordinates", &Method::coordinates},     {"formulation", &Method::formulation},
      {"pseudoinverse", &Method::pseudoinverse}, {"stabilization", &Method::stabilization},
      {"integrator", &Method::integrator},       {"selection", &Method::selection},
      {"reactions", &Method::reactions},         {"penalty_kind", &Method::penalty_kind},
      {"dynamics", &Method::dynamics},           {"rescue", &Method::rescue},
  };
  return options;
}

const std::vector<MethodNumber>& method_numbers() {
  static const std::vector<MethodNumber> options = {
      {"duration", &Method::duration, true},
      {"output_step", &Method::output_step, true},
      {"tolerance", &Method::tolerance, true},
      {"step", &Method::step, true},
      {"threshold", &Method::threshold, true},
      {"penalty", &Method::penalty, true},
      {"reaction_length", &Method::reaction_length, true},
      {"max_steps", &Method::max_steps, true},
      {"time_limit", &Method::time_limit, true},
      {"memory_limit", &Method::memory_limit, true},
      {"max_events", &Method::max_events, true},
      {"alpha", &Method::alpha, false},
      {"beta", &Method::beta, false},
      {"reuse", &Method::reuse, false},
      {"omega", &Method::omega, false},
      {"mu", &Method::mu, false},
      {"iterations", &Method::iterations, false},
      {"iteration_tolerance", &Method::iteration_tolerance, false},
      {"spectral_radius", &Method::spectral_radius, false},
      {"seed", &Method::seed, false},
  };
  return options;
}

void load_simulation(Loader& loader, const InputNode& node) {
  if (node.is_null()) return;
  std::vector<std::string> keys{"diagnostics"};
  for (const MethodName& option : method_names()) keys.push_back(option.key);
  for (const MethodNumber& option : method_numbers()) keys.push_back(option.key);
  const Fields fields(node, "the simulation", keys);
  Method& method = loader.model.simulation;
  // Which names exist is known to the stations that implement them, and is checked there.
  for (const MethodName& option : method_names()) {
    if (const std::optional<InputNode> value = fields.find(option.key)) method.*option.member = value->word("a name");
  }
  for (const MethodNumber& option : method_numbers()) {
    if (const std::optional<InputNode> value = fields.find(option.key))
      method.*option.member = option.positive ? loader.positive(*value) : loader.not_negative(*value);
  }
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

// simulation: and outputs:
#include <fmt/format.h>

#include <cmath>

#include "io/model/loader.h"
#include "model/method_options.h"
#include "model/row_gains.h"

namespace bricard {

namespace {

/// A name, or a list of them: that of independent coordinates.
void read(Loader&, const InputNode& node, const MethodOption& option, std::string& name) {
  if (!node.is_list() || option.key != std::string("selection")) {
    name = node.word("a name");
    return;
  }
  for (const InputNode& item : node.items("coordinates"))
    name += (name.empty() ? "" : ", ") + item.word("a coordinate");
}
void read(Loader&, const InputNode& node, const MethodOption&, std::optional<bool>& flag) { flag = node.flag(); }
void read_number(Loader& loader, const InputNode& node, const MethodOption& option, double& number) {
  const NumberRange& range = option.range;
  if (!std::isfinite(range.most)) {
    number = range.open ? loader.positive(node) : loader.not_negative(node);
    return;
  }
  number = loader.number(node);
  if (is_known(number) && !range.contains(number))
    node.error(fmt::format("must be {}, but is {}", range.words(), number));
}
/// A number, or a map of numbers by joint or constraint.
void read(Loader& loader, const InputNode& node, const MethodOption& option, double& number) {
  if (!option.by_row || !node.is_map()) {
    read_number(loader, node, option, number);
    return;
  }
  for (const NamedNode& entry : named_nodes(node, "a map of numbers")) {
    double value = unset;
    read_number(loader, entry.node, option, value);
    if (entry.name == "default") {
      number = value;
    } else if (is_known(value)) {
      std::string& all = loader.model.simulation.row_gains;
      all += (all.empty() ? "" : ", ") + row_gain_text({entry.name, option.key, value});
    }
  }
}

}  // namespace

void load_simulation(Loader& loader, const InputNode& node) {
  if (node.is_null()) return;
  std::vector<std::string> keys;
  for (const MethodOption& option : method_options()) keys.emplace_back(option.key);
  const Fields fields(node, "the simulation", keys);
  // Which names exist is known to the stations that implement them, and is checked there.
  for (const MethodOption& option : method_options()) {
    const std::optional<InputNode> value = fields.find(option.key);
    if (!value) continue;
    std::visit([&](auto member) { read(loader, *value, option, loader.model.simulation.*member); }, option.member);
  }
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

// parameters: and points:
#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/model/loader.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

struct Parameter {
  NamedNode entry;
  std::optional<std::string> replacement;  // by `--set`
  std::set<std::string> uses;              // parameters of the file that its formula names

  const std::string& text() const { return replacement ? *replacement : entry.node.text(); }
};

/// Of the parameters, by name.
using Numbers = std::unordered_map<std::string, std::size_t>;

bool is_parameter_name(const std::string& name) { return name.find('-') == std::string::npos; }

std::set<std::string> parameters_in(const std::string& text, const Numbers& names) {
  std::set<std::string> found;
  ExpressionScope scope;
  static const double any_value = 1;
  scope.parameter = [&](const std::string& name) -> const double* {
    if (!names.contains(name)) return nullptr;
    found.insert(name);
    return &any_value;
  };
  try {
    Expression::parse(text, scope);
  } catch (const ExpressionError&) {
    // Noted when the parameter is evaluated.
  }
  return found;
}

// The uses that lead from one parameter to another: {from, ..., to}, or nothing.
std::vector<std::string> chain(const std::vector<Parameter>& parameters, const Numbers& numbers,
                               const std::string& from, const std::string& to) {
  std::map<std::string, std::string> reached_from{{from, ""}};
  std::vector<std::string> open{from};
  while (!open.empty()) {
    const std::string current = open.back();
    open.pop_back();
    if (current == to) {
      std::vector<std::string> path;
      for (std::string name = to; !name.empty(); name = reached_from[name]) path.push_back(name);
      std::reverse(path.begin(), path.end());
      return path;
    }
    for (const std::string& next : parameters[numbers.at(current)].uses) {
      if (reached_from.emplace(next, current).second) open.push_back(next);
    }
  }
  return {};
}

// Where a name stands in a formula.
std::size_t find_word(const std::string& text, const std::string& word) {
  const auto part_of_name = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !part_of_name(at - 1)) && !part_of_name(at + word.size())) return at;
  }
  return 0;
}

// Says so; the members of a cycle are added to `reported`, for one message about it is enough.
std::string used_too_early(const std::vector<Parameter>& parameters, const Numbers& numbers, const std::string& user,
                           const std::string& used, std::set<std::string>& reported, const Problems& problems) {
  std::string message = fmt::format("parameter '{}' is used before it is defined", used);
  if (used == user) return message + ": it uses itself";
  if (!problems.may_compare(parameters.size())) return message;
  const std::vector<std::string> back = chain(parameters, numbers, used, user);
  reported.insert(back.begin(), back.end());
  return back.empty() ? message : fmt::format("{}: {} -> {} is a cycle", message, user, fmt::join(back, " -> "));
}

void evaluate(Loader& loader, const std::vector<Parameter>& parameters, const Numbers& numbers,
              const Parameter& parameter, std::set<std::string>& reported, Problems& problems) {
  const std::string& name = parameter.entry.name;
  const auto problem = [&](std::size_t byte, const std::string& message) {
    if (parameter.replacement) {
      problems.add(0, 0, "--set " + name, message);
    } else {
      parameter.entry.node.error_at(byte, message);
    }
  };
  if (reported.contains(name)) return loader.add_broken_parameter(name);
  double value = unset;
  const auto early = std::find_if(parameter.uses.begin(), parameter.uses.end(),
                                  [&](const std::string& used) { return !loader.has_parameter(used); });
  if (early != parameter.uses.end()) {
    problem(find_word(parameter.text(), *early), used_too_early(parameters, numbers, name, *early, reported, problems));
  } else if (parameter.replacement) {
    try {
      value = loader.evaluate(*parameter.replacement);
    } catch (const std::runtime_error& error) {
      problem(0, error.what());
    }
  } else {
    value = loader.number(parameter.entry.node);
  }
  if (is_known(value)) {
    loader.add_parameter(name, value);
  } else {
    loader.add_broken_parameter(name);
  }
}

}  // namespace

void load_parameters(Loader& loader, const std::optional<InputNode>& node, const LoadOptions& options,
                     Problems& problems) {
  std::vector<Parameter> parameters;
  std::vector<std::string> names;
  Numbers numbers;
  if (node) {
    for (const NamedNode& entry : named_nodes(*node, "a map of parameters")) {
      if (is_reserved_name(entry.name)) {
        entry.name_error(fmt::format("'{}' has a meaning of its own in expressions; choose another name", entry.name));
      } else if (!is_parameter_name(entry.name)) {
        entry.name_error(
            fmt::format("'{}' would be a subtraction in expressions; use '_' in the names of parameters", entry.name));
      } else {
        parameters.push_back({entry, std::nullopt, {}});
        numbers.emplace(entry.name, names.size());
        names.push_back(entry.name);
      }
    }
  }
  for (const auto& [name, text] : options.parameters) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) {
      problems.add(0, 0, "--set " + name, fmt::format("unknown parameter '{}'{}", name, suggestion(name, names)));
    } else {
      parameters[found->second].replacement = text;
    }
  }
  for (Parameter& parameter : parameters) parameter.uses = parameters_in(parameter.text(), numbers);
  std::set<std::string> reported;
  for (const Parameter& parameter : parameters) evaluate(loader, parameters, numbers, parameter, reported, problems);
}

void load_points(Loader& loader, const InputNode& node) {
  for (const NamedNode& entry : named_nodes(node, "a map of points")) {
    loader.add_point(entry.name, loader.vector(entry.node));
  }
}

}  // namespace bricard

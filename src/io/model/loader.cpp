// Numbers, vectors and formulas.
#include "io/model/loader.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace bricard {
namespace {

// ".nan", "-inf" and the like: words of YAML and C for what no model may contain.
bool spells_not_finite(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (text.starts_with('+') || text.starts_with('-')) text.erase(0, 1);
  if (text.starts_with('.')) text.erase(0, 1);
  return text == "nan" || text == "inf" || text == "infinity";
}

}  // namespace

ExpressionScope Loader::scope() {
  ExpressionScope scope;
  static const double any_value = 1;
  scope.parameter = [this](const std::string& name) -> const double* {
    if (broken_.contains(name)) {
      used_broken_ = true;
      return &any_value;
    }
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? nullptr : &found->second;
  };
  return scope;
}

/// The names of all parameters are listed only where a message asks which one was meant.
Expression Loader::parse_text(const std::string& text, ExpressionScope& names) {
  try {
    return Expression::parse(text, names);
  } catch (const ExpressionError&) {
    if (!problems_.may_compare(parameters_.size())) throw;
  }
  for (const auto& [name, value] : parameters_) names.parameter_names.push_back(name);
  return Expression::parse(text, names);
}

Expression Loader::parse(const InputNode& node, bool time, bool signals, const std::vector<std::string>& variables) {
  Expression nothing(unset);
  if (!node.is_scalar() || node.text().empty()) {
    node.expected(time ? "a number or an expression" : "a number");
    return nothing;
  }
  if (spells_not_finite(node.text())) {
    node.error(fmt::format("'{}' is not a finite number", node.text()));
    return nothing;
  }
  ExpressionScope names = scope();
  names.time = time;
  names.variables = variables;
  if (signals) {
    names.signal = [this](Quantity quantity, const std::vector<std::string>& arguments) {
      return resolve(quantity, arguments);
    };
  }
  used_broken_ = false;
  try {
    Expression result = parse_text(node.text(), names);
    if (used_broken_) return nothing;
    if (result.is_constant() && !std::isfinite(result.value(0))) {
      node.error(fmt::format("'{}' is not a finite number: it is {}", node.text(), result.value(0)));
      return nothing;
    }
    return result;
  } catch (const ExpressionError& error) {
    node.error_at(error.offset, error.what());
    return nothing;
  }
}

double Loader::number(const InputNode& node) {
  // Most numbers are written as such; the shortcut keeps large models quick to read.
  if (node.is_scalar()) {
    const std::string& text = node.text();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
  }
  return parse(node, false, false, {}).value(0);
}

double Loader::positive(const InputNode& node) {
  const double value = number(node);
  if (value <= 0) node.error(fmt::format("must be positive, but is {}", value));
  return value;
}

double Loader::not_negative(const InputNode& node) {
  const double value = number(node);
  if (value < 0) node.error(fmt::format("must not be negative, but is {}", value));
  return value;
}

double Loader::evaluate(const std::string& text) {
  if (spells_not_finite(text)) throw std::runtime_error(fmt::format("'{}' is not a finite number", text));
  used_broken_ = false;
  ExpressionScope names = scope();
  const double value = parse_text(text, names).value(0);
  if (used_broken_) return unset;
  if (!std::isfinite(value))
    throw std::runtime_error(fmt::format("'{}' is not a finite number: it is {}", text, value));
  return value;
}

std::vector<double> Loader::numbers(const InputNode& node, std::size_t count, const std::string& what) {
  std::vector<double> result;
  for (const InputNode& item : node.items(count, what)) result.push_back(number(item));
  result.resize(count, unset);
  return result;
}

Vec3 Loader::vector(const InputNode& node) {
  const std::vector<double> read =
      numbers(node, vector_size(), planar() ? "a list of 2 numbers (the model is planar)" : "a list of 3 numbers");
  return {read[0], read[1], planar() ? 0 : read[2]};
}

Vec3 Loader::direction(const InputNode& node) {
  const Vec3 read = vector(node);
  // Scaling by the largest component first keeps very long and very short vectors from overflowing.
  const double largest = read.cwiseAbs().maxCoeff();
  if (largest == 0) node.error("a direction must not be zero");
  return largest > 0 ? Vec3((read / largest).normalized()) : unknown_vector;
}

Expression Loader::time_law(const InputNode& node) {
  Expression law = parse(node, true, false, {});
  if (law.uses_time() && !std::isfinite(law.value(0))) {
    node.error(fmt::format("'{}' is not a finite number at t = 0: it is {}", node.text(), law.value(0)));
  }
  return law;
}

void Loader::signal_law(const InputNode& node, const std::vector<std::string>& variables, const UseExpression& use) {
  deferred_.push_back([this, node, variables, use] { use(parse(node, true, true, variables)); });
}

void Loader::finish() {
  for (const auto& task : deferred_) task();
  deferred_.clear();
}

}  // namespace bricard

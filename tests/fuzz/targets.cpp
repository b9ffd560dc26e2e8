#include "targets.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "bricard/expression.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "io/results/csv_reader.h"
#include "io/results/sweep.h"

namespace bricard::fuzz {
namespace {

std::string text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace

int model(const std::uint8_t* data, std::size_t size) {
  try {
    load_text(text_of(data, size), "fuzz");
  } catch (const InputError&) {
  }
  return 0;
}

int expression(const std::uint8_t* data, std::size_t size) {
  static const double length = 2;
  ExpressionScope scope;
  scope.parameter = [](const std::string& name) { return name == "L" ? &length : nullptr; };
  scope.parameter_names = {"L"};
  scope.time = true;
  scope.variables = {"u"};
  scope.signal = [](Quantity quantity, const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments[0].size() > 8) throw std::runtime_error("unknown");
    return Signal{.quantity = quantity, .target = static_cast<int>(arguments[0].size())};
  };
  try {
    const Expression parsed = Expression::parse(text_of(data, size), scope);
    const std::vector<double> values(parsed.signals().size(), 0.5);
    const std::vector<Jet> jets(values.size(), Jet{0.5, 1, -1});
    std::vector<double> partials(values.size());
    double by_time = 0;
    const double value = parsed.value(0.25, values.data()), same = parsed.jet(0.25, jets.data()).value;
    const double too = parsed.gradient(0.25, values.data(), partials.data(), &by_time);
    const auto differ = [](double a, double b) {
      return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) > 1e-9 * std::max(std::abs(a), std::abs(b));
    };
    if (differ(value, same) || differ(value, too)) throw std::logic_error("three evaluations, two values");
  } catch (const ExpressionError&) {
  }
  return 0;
}

int table(const std::uint8_t* data, std::size_t size) {
  try {
    read_motion_text(text_of(data, size), "fuzz");
  } catch (const InputError&) {
  }
  return 0;
}

int sweep(const std::uint8_t* data, std::size_t size) {
  try {
    read_sweep(text_of(data, size));
  } catch (const InputError&) {
  }
  return 0;
}

int run(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  try {
    const auto loaded = load_text(text_of(data + 1, size - 1), "fuzz");
    if (loaded->bodies.size() > 6 || loaded->joints.size() > 12 || loaded->forces.size() > 12) return 0;
    Method method;
    const auto& formulations = formulation_types();
    const auto& integrators = integrator_types();
    if (data[0] != 0) {
      method.formulation = formulations[data[0] % formulations.size()].name;
      method.integrator = integrators[data[0] / 16 % integrators.size()].name;
    }
    method.tolerance = 1e-3;
    method.duration = 0.05;
    method.output_step = 0.05;
    method.step = 0.005;
    method.max_steps = 2000;
    method.time_limit = 5;
    const SimulationResult result = simulate(loaded, method);
    if (!result.ok() && result.summary.failure.empty()) throw std::logic_error("stopped without a reason");
    for (const Vector& row : result.data.rows) {
      if (result.ok() && !row.allFinite()) throw std::logic_error("a row of a completed run is not finite");
    }
  } catch (const InputError&) {
  }
  return 0;
}

}  // namespace bricard::fuzz

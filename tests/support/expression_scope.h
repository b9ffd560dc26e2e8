// A scope with a bit of everything, for tests of expressions.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bricard/expression.h"

namespace bricard::testing_support {

/// Parameters L = 2, mass = 0.5 and g = 9.81, time, the variables u and v, and all signals. A signal's target numbers
/// the names in the order in which they appear; "nowhere" is unknown.
inline ExpressionScope full_scope() {
  static const std::map<std::string, double> parameters{{"L", 2}, {"mass", 0.5}, {"g", 9.81}};
  ExpressionScope scope;
  scope.parameter = [](const std::string& name) {
    const auto found = parameters.find(name);
    return found == parameters.end() ? nullptr : &found->second;
  };
  for (const auto& [name, value] : parameters) scope.parameter_names.push_back(name);
  scope.time = true;
  scope.variables = {"u", "v"};
  scope.signal = [names = std::vector<std::string>()](Quantity quantity,
                                                      const std::vector<std::string>& arguments) mutable {
    const auto number = [&names](const std::string& name) {
      if (name == "nowhere") throw std::runtime_error("unknown body 'nowhere'");
      const auto place = std::find(names.begin(), names.end(), name);
      const int result = static_cast<int>(place - names.begin());
      if (place == names.end()) names.push_back(name);
      return result;
    };
    Signal signal{.quantity = quantity, .target = number(arguments.at(0))};
    if (arguments.size() > 1) signal.other_target = number(arguments[1]);
    return signal;
  };
  return scope;
}

/// Numbers only: no parameters, no time, no signals.
inline ExpressionScope empty_scope() {
  ExpressionScope scope;
  scope.parameter = [](const std::string&) -> const double* { return nullptr; };
  return scope;
}

}  // namespace bricard::testing_support

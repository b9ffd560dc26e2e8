// Values of an option of a Method, for tests that go through all of them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "model/method_options.h"

namespace bricard::testing_support {

/// One that it takes, and that is not its default.
inline std::string good_value(const MethodOption& option) {
  if (std::holds_alternative<std::optional<bool> Method::*>(option.member)) return "true";
  if (option.key == std::string("row_gains")) return "some-name.alpha=12.5";
  if (std::holds_alternative<std::string Method::*>(option.member))
    return option.choices.empty() ? "some-name" : option.choices.back();
  if (option.range.whole) return "17";
  return option.range.most < 10 ? "0.25" : "12.5";
}

/// Numbers and choices that it refuses; names of types are checked by their lists.
inline std::vector<std::string> bad_values(const MethodOption& option) {
  if (!option.choices.empty()) return {"no-such-choice"};
  if (!std::holds_alternative<double Method::*>(option.member)) return {};
  std::vector<std::string> bad = {"-1"};
  if (option.range.open) bad.emplace_back("0");
  if (option.range.whole) bad.emplace_back("1.5");
  if (std::isfinite(option.range.most)) bad.push_back(std::to_string(2 * option.range.most));
  return bad;
}

inline void set(std::string& name, const std::string& text) { name = text; }
inline void set(double& number, const std::string& text) { number = std::stod(text); }
inline void set(std::optional<bool>& flag, const std::string& text) { flag = text == "true"; }

inline void set(Method& method, const MethodOption& option, const std::string& text) {
  std::visit([&](auto member) { set(method.*member, text); }, option.member);
}

inline bool is_set(const Method& method, const MethodOption& option) {
  return std::visit([&](auto member) { return bricard::is_set(method.*member); }, option.member);
}

inline bool same(const Method& a, const Method& b, const MethodOption& option) {
  return std::visit([&](auto member) { return a.*member == b.*member; }, option.member);
}

}  // namespace bricard::testing_support

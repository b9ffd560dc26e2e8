// The names that every expression knows: constants, functions, signals.
#pragma once

#include <span>
#include <string_view>

#include "bricard/expression.h"
#include "model/expression_program.h"

namespace bricard {

struct NamedConstant {
  std::string_view name;
  double value;
};
struct NamedFunction {
  std::string_view name;
  Operation operation;
  int arguments;
  bool or_more = false;  // further arguments are joined in one by one: min(a, b, c) = min(min(a, b), c)
};
struct NamedSignal {
  std::string_view name;
  Quantity quantity;
  int arguments;
};

std::span<const NamedConstant> named_constants();
std::span<const NamedFunction> named_functions();
std::span<const NamedSignal> named_signals();

/// The entry of that name, or nullptr.
template <class Entry>
const Entry* find_named(std::span<const Entry> entries, std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace bricard

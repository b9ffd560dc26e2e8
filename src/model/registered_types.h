// Tables of types that a program may add to, until the first System: from then on others hold on to their entries.
#pragma once

#include <fmt/format.h>
#include <atomic>

#include <string>
#include <vector>

#include "bricard/input_error.h"

namespace bricard {

inline std::atomic<bool> types_are_fixed = false;

/// Throws InputError for a name that exists, and once types are fixed.
template <class Type>
void register_type(std::vector<Type>& types, const Type& type, const std::string& kind) {
  const std::string name = type.name;
  if (types_are_fixed)
    throw InputError(
        fmt::format("{} '{}' comes too late: register it before anything is simulated or analysed", kind, name));
  for (const Type& known : types) {
    if (name == known.name) throw InputError(fmt::format("there is a {} '{}' already", kind, name));
  }
  types.push_back(type);
}

}  // namespace bricard

// A table of types: those of a .def in its order, then what a program adds until the first System. Entries never move,
// so that whoever found one may keep a pointer to it.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>

#include "bricard/input_error.h"

namespace bricard {

/// Set by the first System, which is built from the tables: what came later would be seen by some and not by others.
inline std::atomic<bool> types_are_fixed = false;

template <class Type>  // has a `name`
class Registry {
 public:
  Registry(std::initializer_list<Type> types) : types_(types) {}

  const std::deque<Type>& all() const { return types_; }

  /// The type of that name, or nullptr.
  const Type* find(std::string_view name) const {
    for (const Type& type : types_) {
      if (name == type.name) return &type;
    }
    return nullptr;
  }

  /// `what` it is, for messages: "joint type". Throws InputError for a name that exists or is empty, and if it is late.
  void add(const Type& type, std::string_view what) {
    const std::string_view name = text_of(type.name);
    if (name.empty()) throw InputError(fmt::format("a {} needs a name", what));
    if (types_are_fixed)
      throw InputError(
          fmt::format("{} '{}' comes too late: register it before anything is simulated or analysed", what, name));
    if (find(name)) throw InputError(fmt::format("there is a {} '{}' already", what, name));
    types_.push_back(type);
  }

 private:
  static std::string_view text_of(const char* name) { return name ? name : ""; }
  static std::string_view text_of(std::string_view name) { return name; }

  std::deque<Type> types_;
};

}  // namespace bricard

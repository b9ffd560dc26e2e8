// Every option of a Method, once. From this table come the keys under `simulation:`, the options of the commands with
// their help, defaults, checks, units, the list of `bricard methods`, and by scripts/update-options the schema and the
// table in docs/model-format.md. A new member of Method needs a line here, and nothing else to be read, given, checked
// and described.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bricard/method.h"

namespace bricard {

/// Numbers that an option takes; finite ones.
struct NumberRange {
  double least = 0, most = std::numeric_limits<double>::infinity();
  bool open = false;  // without `least` itself
  bool whole = false;

  bool contains(double value) const;
  std::string words() const;  // "a whole number from 0 to 10"
};
inline constexpr NumberRange positive_numbers{.open = true}, numbers_from_zero{};
constexpr NumberRange whole_numbers(double least, double most = 1e15) { return {least, most, false, true}; }

/// What a number is measured in, where that is a unit of the mechanism: its value changes with the units of the model.
enum class MeasuredIn { nothing, time, rate, length };

struct MethodOption {
  using Member = std::variant<std::string Method::*, double Method::*, std::optional<bool> Method::*>;

  const char* key;  // under `simulation:`
  Member member;
  const char* standard;                   // the default as text; "" if it depends on the model or the method
  const char* placeholder = "";           // of its value in the help
  const char* help = "";                  // one line, without the default
  const char* note = "";                  // on the default: "; at least ..", or all that can be said of it
  NumberRange range = {};                 // of a number
  std::vector<std::string> choices = {};  // of a name that no list of types knows
  MeasuredIn measured_in = MeasuredIn::nothing;
  bool by_row = false;  // a number that joints and constraints may have of their own (model/row_gains.h)

  std::string command_option() const;  // "--output-step"
  std::string words() const;           // "output step", in messages
  std::string values() const;          // "a positive number"; "a name"; "on or off"; "true or false"
  std::string default_words() const;   // "1e-9; at least ..", "" if there is nothing to be said
  std::string command_help() const;    // with the default
};

/// In the order in which they are listed.
const std::vector<MethodOption>& method_options();
/// The one of that key, which must exist.
const MethodOption& method_option(const std::string& key);

inline bool is_set(const std::string& name) { return !name.empty(); }
inline bool is_set(double number) { return number == number; }
inline bool is_set(const std::optional<bool>& flag) { return flag.has_value(); }

/// All defaults that depend on nothing.
const Method& method_defaults();
/// Gives them to what is not set and to names that are `auto`.
void complete_by_defaults(Method& method);
/// Throws InputError for a number out of its range, and for a name that is none of its choices. Names of types are
/// known to their lists, and are checked there.
void require_valid(const Method& method);

/// Of the assembly. Throws InputError as above.
unsigned seed_of(const Method& method);

}  // namespace bricard

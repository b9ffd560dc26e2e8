#include "model/row_gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "bricard/input_error.h"
#include "model/method_options.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> keys_by_row() {
  std::vector<std::string> keys;
  for (const MethodOption& option : method_options()) {
    if (option.by_row) keys.emplace_back(option.key);
  }
  return keys;
}

RowGain parsed(const std::string& text) {
  const std::size_t equals = text.rfind('='), dot = text.rfind('.', equals);
  if (equals == std::string::npos || dot == std::string::npos || dot == 0)
    throw InputError(fmt::format("unknown row gains '{}': expected NAME.KEY=VALUE, as A.penalty=1e9", text));
  RowGain gain{trimmed(text.substr(0, dot)), trimmed(text.substr(dot + 1, equals - dot - 1))};
  const std::vector<std::string> keys = keys_by_row();
  if (std::find(keys.begin(), keys.end(), gain.key) == keys.end())
    throw InputError(fmt::format("row gains: unknown '{}' of '{}'{}", gain.key, gain.name, suggestion(gain.key, keys)));
  const std::string value = trimmed(text.substr(equals + 1));
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), gain.value);
  if (problem != std::errc() || end != value.data() + value.size())
    throw InputError(fmt::format("row gains: '{}' is no number", value));
  const NumberRange& range = method_option(gain.key).range;
  if (!range.contains(gain.value))
    throw InputError(fmt::format("{} of '{}' must be {}, not {}", gain.key, gain.name, range.words(), value));
  return gain;
}

}  // namespace

std::vector<RowGain> parse_row_gains(const std::string& text) {
  std::vector<RowGain> gains;
  if (trimmed(text) == "none") return gains;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    RowGain gain = parsed(trimmed(text.substr(begin, end - begin)));
    for (const RowGain& other : gains) {
      if (other.name == gain.name && other.key == gain.key)
        throw InputError(fmt::format("row gains: {} of '{}' is given twice", gain.key, gain.name));
    }
    gains.push_back(std::move(gain));
    begin = end + 1;
  }
  return gains;
}

std::string row_gain_text(const RowGain& gain) { return fmt::format("{}.{}={}", gain.name, gain.key, gain.value); }

std::string row_gains_in(const Units& units, const std::string& text, bool absolute_penalties) {
  std::string result;
  for (RowGain gain : parse_row_gains(text)) {
    if (method_option(gain.key).measured_in == MeasuredIn::rate) gain.value *= units.time;
    if (gain.key == "penalty" && absolute_penalties) gain.value /= units.mass;
    result += (result.empty() ? "" : ", ") + row_gain_text(gain);
  }
  return result;
}

}  // namespace bricard

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "io/report/report_parts.h"

namespace bricard {
namespace {

// Characters of base64 for all columns together, above which 16 bits have to do.
constexpr std::size_t budget = 1'100'000;

std::string base64(const std::vector<std::uint8_t>& bytes) {
  static const char* const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t left = bytes.size() - k;
    const std::uint32_t three = (static_cast<std::uint32_t>(bytes[k]) << 16) |
                                (left > 1 ? static_cast<std::uint32_t>(bytes[k + 1]) << 8 : 0U) |
                                (left > 2 ? static_cast<std::uint32_t>(bytes[k + 2]) : 0U);
    text += digits[three >> 18];
    text += digits[(three >> 12) & 63];
    text += left > 1 ? digits[(three >> 6) & 63] : '=';
    text += left > 2 ? digits[three & 63] : '=';
  }
  return text;
}

template <class Unsigned>
void append(std::vector<std::uint8_t>& bytes, Unsigned number) {
  for (std::size_t k = 0; k < sizeof(Unsigned); ++k) bytes.push_back(static_cast<std::uint8_t>(number >> (8 * k)));
}

void put_floats(JsonWriter& json, const std::vector<double>& values) {
  constexpr double largest = std::numeric_limits<float>::max();
  std::vector<std::uint8_t> bytes;
  for (double value : values) {
    const float narrow = std::isnan(value) ? std::numeric_limits<float>::quiet_NaN()
                                           : static_cast<float>(std::clamp(value, -largest, largest));
    append(bytes, std::bit_cast<std::uint32_t>(narrow));
  }
  json.member("floats", base64(bytes));
}

bool put_integers(JsonWriter& json, const std::vector<double>& values) {
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) return false;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double step = (*greatest - *least) / 65535;
  if (!std::isfinite(step)) return false;
  std::vector<std::uint8_t> bytes;
  for (double value : values)
    append(bytes, static_cast<std::uint16_t>(step > 0 ? std::lround((value - *least) / step) : 0));
  json.member("least", *least).member("step", step).member("integers", base64(bytes));
  return true;
}

}  // namespace

void put_series(JsonWriter& json, const ReportSeries& series) {
  json.begin_object().member("rows", static_cast<long>(series.time.size())).member("note", series.note);
  json.key("time").begin_object();
  put_floats(json, series.time);
  json.end_object();
  const bool tight = series.time.size() * series.columns.size() * 16 / 3 > budget;
  json.key("columns").begin_array();
  for (const ReportColumn& column : series.columns) {
    json.begin_object().member("name", column.name).member("group", column.group).member("owner", column.owner);
    json.member("quantity", column.quantity).member("unit", column.unit).member("mark", column.mark);
    json.member("logarithmic", column.logarithmic).member("shown", column.shown);
    if (column.logarithmic || !tight || !put_integers(json, column.values)) put_floats(json, column.values);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace bricard

#include "io/json_writer.h"

#include <fmt/format.h>

#include <cmath>

namespace bricard {

void JsonWriter::indent() {
  text_ += '\n';
  text_.append(2 * levels_.size(), ' ');
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  if (!levels_.back().empty) text_ += ",";
  levels_.back().empty = false;
  // Arrays of numbers stay on one line; objects get a line for each member.
  if (levels_.back().array) {
    if (text_.back() == ',') text_ += " ";
  } else {
    indent();
  }
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  text_ += "{";
  levels_.push_back({false, true});
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) indent();
  text_ += "}";
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  text_ += "[";
  levels_.push_back({true, true});
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  levels_.pop_back();
  text_ += "]";
  return *this;
}

JsonWriter& JsonWriter::key(const std::string& name) {
  value(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(const std::string& content) {
  separate();
  text_ += '"';
  for (const char c : content) {
    switch (c) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '\n': text_ += "\\n"; break;
      case '\t': text_ += "\\t"; break;
      case '\r': text_ += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          text_ += c;
        }
    }
  }
  text_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  text_ += std::isfinite(number) ? fmt::format("{}", number) : "null";
  return *this;
}

JsonWriter& JsonWriter::value(long number) {
  separate();
  text_ += std::to_string(number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  separate();
  text_ += truth ? "true" : "false";
  return *this;
}

}  // namespace bricard

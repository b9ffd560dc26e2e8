#include "io/results/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "model/printable.h"

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
  for (std::size_t at = 0; at < content.size();) {
    const auto [code, length] = character_at(content, at);
    switch (code) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '\n': text_ += "\\n"; break;
      case '\t': text_ += "\\t"; break;
      case '\r': text_ += "\\r"; break;
      default:
        if (length == 0) {
          text_ += "\\ufffd";  // names of files need not be text
        } else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
          text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
        } else {
          text_.append(content, at, length);
        }
    }
    at += length == 0 ? 1 : length;
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

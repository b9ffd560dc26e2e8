#include "io/model/text_encoding.h"

#include <algorithm>

#include <fmt/format.h>

#include "bricard/input_error.h"
#include "io/model/yaml_tree.h"

namespace bricard {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Length in bytes of the UTF-8 character at `at`, or 0 if there is none.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (!is_continuation(text[at + k])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[at + 1]);
  // Overlong forms, surrogates and code points beyond U+10FFFF.
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second > 0x9F) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  return length;
}

// YAML forbids the other control characters, and yaml-cpp takes one of them (end of transmission) for the end of the
// file.
bool is_forbidden_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0x7F;
}

}  // namespace

std::string checked_text(const std::string& text, const std::string& file) {
  const auto refuse = [&](int line, const std::string& message) {
    throw InputError(std::vector<Diagnostic>{{file, line, line > 0 ? 1 : 0, "", message}});
  };
  if (text.size() > max_file_size) {
    refuse(0, fmt::format("the file is larger than {} MiB, too large for a model", max_file_size >> 20));
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::string content = text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
  int line = 1;
  for (std::size_t at = 0; at < content.size();) {
    const std::size_t length = character_length(content, at);
    if (length == 0) refuse(line, "not a text file: it is not valid UTF-8");
    if (length == 1 && is_forbidden_control(content[at])) {
      refuse(line, fmt::format("not a text file: it holds the control character {:#04x}",
                               static_cast<unsigned char>(content[at])));
    }
    if (content[at] == '\n') ++line;
    at += length;
  }
  return content;
}

int count_characters(std::string_view text) {
  int count = 0;
  for (char byte : text) count += is_continuation(byte) ? 0 : 1;
  return count;
}

SourceLines::SourceLines(const std::string& text) : text_(text), starts_{0} {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n') starts_.push_back(at + 1);
  }
}

std::string_view SourceLines::line(int number) const {
  const auto index = static_cast<std::size_t>(number);
  if (number < 0 || index >= starts_.size()) return {};
  const std::size_t end = index + 1 < starts_.size() ? starts_[index + 1] - 1 : text_.size();
  return std::string_view(text_).substr(starts_[index], end - starts_[index]);
}

int SourceLines::column(int number, int byte) const {
  const std::string_view content = line(number);
  const auto bytes = static_cast<std::size_t>(std::max(byte, 0));
  const std::size_t inside = std::min(bytes, content.size());
  if (number != last_line_ || inside < last_byte_) {
    last_line_ = number;
    last_byte_ = 0;
    last_column_ = 1;
  }
  last_column_ += count_characters(content.substr(last_byte_, inside - last_byte_));
  last_byte_ = inside;
  return last_column_ + static_cast<int>(bytes - inside);
}

bool SourceLines::has(int number, int byte, std::string_view part) const {
  const std::string_view content = line(number);
  const auto start = static_cast<std::size_t>(std::max(byte, 0));
  return start <= content.size() && content.substr(start).starts_with(part);
}

}  // namespace bricard

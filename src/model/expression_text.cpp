#include "model/expression_text.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "bricard/expression.h"

namespace bricard {
namespace {

// Not <cctype>: its answers depend on the locale and are undefined for bytes above 127.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

std::string quoted(std::string_view name) {
  constexpr std::size_t longest = 40;
  if (name.size() > longest) return fmt::format("'{}...'", name.substr(0, longest));
  return fmt::format("'{}'", name);
}

void ExpressionText::skip_blanks() {
  position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
}

bool ExpressionText::accept(std::string_view symbol) {
  if (!text_.substr(position_).starts_with(symbol)) return false;
  position_ += symbol.size();
  skip_blanks();
  return true;
}

std::string_view ExpressionText::name_here(bool of_signal) const {
  if (!starts_name(next())) return {};
  std::size_t end = position_ + 1;
  while (end < text_.size()) {
    const char c = text_[end];
    if (!starts_name(c) && !is_digit(c) && !(of_signal && (c == '-' || c == '.'))) break;
    ++end;
  }
  return text_.substr(position_, end - position_);
}

std::string_view ExpressionText::accept_name(bool of_signal) {
  const std::string_view name = name_here(of_signal);
  position_ += name.size();
  skip_blanks();
  return name;
}

bool ExpressionText::accept_word(std::string_view word) {
  if (name_here(false) != word) return false;
  return accept(word);
}

bool ExpressionText::at_number() const {
  return is_digit(next()) || (next() == '.' && position_ + 1 < text_.size() && is_digit(text_[position_ + 1]));
}

double ExpressionText::number() {
  double value = 0;
  const char* const end = text_.data() + text_.size();
  const auto [rest, error] = std::from_chars(text_.data() + position_, end, value);
  if (error == std::errc::result_out_of_range) throw ExpressionError("number out of range", position_);
  if (error != std::errc()) operand_missing();
  position_ = static_cast<std::size_t>(rest - text_.data());
  skip_blanks();
  return value;
}

std::string ExpressionText::next_quoted() const {
  const std::string_view rest = text_.substr(position_);
  std::size_t length = 0;
  while (length < rest.size() && (starts_name(rest[length]) || is_digit(rest[length]) || rest[length] == '.')) ++length;
  if (length > 0) return quoted(rest.substr(0, length));
  const auto byte = static_cast<unsigned char>(rest[0]);
  if (byte < 0x20 || byte == 0x7f) return fmt::format("'\\x{:02x}'", byte);
  // A character beyond ASCII: its first byte and the continuation bytes that follow.
  length = 1;
  while (byte >= 0xc0 && length < 4 && length < rest.size() && (rest[length] & 0xc0) == 0x80) ++length;
  if (byte >= 0x80 && length == 1) return fmt::format("'\\x{:02x}'", byte);
  return fmt::format("'{}'", rest.substr(0, length));
}

void ExpressionText::operand_missing() const {
  if (at_end()) throw ExpressionError("unexpected end of the expression", position_);
  const bool second_star = next() == '*' && position_ > 0 && text_[position_ - 1] == '*';
  throw ExpressionError(
      fmt::format("unexpected {}{}", next_quoted(), second_star ? "; a power is written with '^'" : ""), position_);
}

void ExpressionText::operator_missing() const {
  if (at_end()) throw ExpressionError("unexpected end of the expression", position_);
  if (at_number() || starts_name(next()) || next() == '(') {
    throw ExpressionError(fmt::format("missing operator before {}", next_quoted()), position_);
  }
  throw ExpressionError(
      fmt::format("unexpected {}{}", next_quoted(), next() == '=' ? "; equality is written with '=='" : ""), position_);
}

}  // namespace bricard

#include "model/printable.h"

#include <fmt/format.h>

#include <iterator>

namespace bricard {
namespace {

bool obeys(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x200E && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::string_view text, bool lines) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    if (character.length == 0) {
      fmt::format_to(std::back_inserter(result), "\\x{:02x}", byte);
    } else if (!obeys(character.code) || (lines && character.code == '\n')) {
      result += text.substr(at, character.length);
    } else if (character.code == '\n') {
      result += "\\n";
    } else if (character.code == '\t') {
      result += lines ? "\t" : "\\t";
    } else {
      const auto code = static_cast<unsigned>(character.code);
      result += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
    }
    at += character.length == 0 ? 1 : character.length;
  }
  return result;
}

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t length = byte(0) >= 0xC2 && byte(0) <= 0xDF   ? 2
                             : byte(0) >= 0xE0 && byte(0) <= 0xEF ? 3
                             : byte(0) >= 0xF0 && byte(0) <= 0xF4 ? 4
                                                                  : 0;
  if (length == 0 || at + length > text.size()) return {};
  char32_t code = byte(0) & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0U) != 0x80) return {};
    code = (code << 6U) | (byte(k) & 0x3FU);
  }
  // Overlong forms, surrogates and what is beyond the last character.
  const bool overlong = code < (length == 2 ? 0x80U : length == 3 ? 0x800U : 0x10000U);
  if (overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return {};
  return {code, length};
}

std::string printable(std::string_view text) { return escaped(text, false); }
std::string printable_lines(std::string_view text) { return escaped(text, true); }

}  // namespace bricard

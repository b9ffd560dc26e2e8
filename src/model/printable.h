// Texts of others, shown on a terminal: what a terminal would obey is made visible.
#pragma once

#include <string>
#include <string_view>

namespace bricard {

/// One line: control characters, marks that change the direction of writing and bytes that are no UTF-8 become \x1b,
/// \u202e or \n.
std::string printable(std::string_view text);
/// The same; lines stay lines.
std::string printable_lines(std::string_view text);

/// The character that begins at `at`, and its length in bytes; length 0: no UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t length = 0;
};
Character character_at(std::string_view text, std::size_t at);

}  // namespace bricard

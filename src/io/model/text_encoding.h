// The text of a model file as characters: is it text at all, and which character is where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bricard {

/// The text without a byte order mark. Throws InputError if it is too large, not UTF-8, or holds control characters.
std::string checked_text(const std::string& text, const std::string& file);

/// Number of characters (not bytes) of a UTF-8 text.
int count_characters(std::string_view text);

/// Finds lines and columns of a text; lines and byte columns count from 0 here, as yaml-cpp gives them.
class SourceLines {
 public:
  explicit SourceLines(const std::string& text);
  /// The column, from 1 and in characters, of a byte of a line.
  int column(int line, int byte) const;
  /// Does `part` stand at that byte of that line?
  bool has(int line, int byte, std::string_view part) const;

 private:
  std::string_view line(int number) const;

  const std::string& text_;
  std::vector<std::size_t> starts_;
  // The place asked for last: places come in order, and counting on from it keeps files of one long line fast.
  mutable int last_line_ = -1, last_column_ = 1;
  mutable std::size_t last_byte_ = 0;
};

}  // namespace bricard

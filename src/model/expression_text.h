// The text of an expression, read from left to right: symbols, names, numbers, and what to say about anything else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bricard {

class ExpressionText {
 public:
  explicit ExpressionText(std::string_view text) : text_(text) { skip_blanks(); }

  std::string_view all() const { return text_; }
  /// Position of the next thing that is not blank.
  std::size_t offset() const { return position_; }
  bool at_end() const { return position_ == text_.size(); }
  /// The next character, '\0' at the end.
  char next() const { return at_end() ? '\0' : text_[position_]; }
  /// Moves on if the text goes on with `symbol`.
  bool accept(std::string_view symbol);
  /// Reads a name, or gives "" and stays. In a signal's parentheses a name may also hold '-' and '.'.
  std::string_view accept_name(bool of_signal = false);
  /// Moves on if the next name is exactly this.
  bool accept_word(std::string_view word);
  bool at_number() const;
  /// Reads the number that is there.
  double number();

  /// Throws: an operand was expected here.
  [[noreturn]] void operand_missing() const;
  /// Throws: an operator, a closing parenthesis or the end was expected here.
  [[noreturn]] void operator_missing() const;

 private:
  void skip_blanks();
  std::string_view name_here(bool of_signal) const;
  std::string next_quoted() const;

  std::string_view text_;
  std::size_t position_ = 0;
};

/// 'name', cut off if it is very long.
std::string quoted(std::string_view name);

}  // namespace bricard

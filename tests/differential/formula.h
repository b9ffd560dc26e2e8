// Evaluates the text of an expression in Taylor arithmetic, by a parser of its own: + - * / ^, parentheses, numbers, t,
// sin, cos, exp, and signals, whose values the caller gives.
#pragma once

#include <cctype>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "taylor.h"

namespace bricard::differential {

using SignalValue = std::function<Taylor(const std::string& name, const std::vector<std::string>& arguments)>;

class Formula {
 public:
  Formula(const std::string& text, const Taylor& time, SignalValue signals)
      : text_(text), time_(time), signals_(std::move(signals)) {}
  Taylor value() {
    const Taylor result = sum();
    blanks();
    if (at_ != text_.size()) fail();
    return result;
  }

 private:
  [[noreturn]] void fail() const { throw std::runtime_error("the reference cannot read '" + text_ + "'"); }
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char symbol) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != symbol) return false;
    ++at_;
    return true;
  }
  Taylor sum() {
    Taylor result = product();
    while (true) {
      if (take('+')) {
        result = result + product();
      } else if (take('-')) {
        result = result - product();
      } else {
        return result;
      }
    }
  }
  Taylor product() {
    Taylor result = signed_power();
    while (true) {
      if (take('*')) {
        result = result * signed_power();
      } else if (take('/')) {
        result = result * reciprocal(signed_power());
      } else {
        return result;
      }
    }
  }
  Taylor signed_power() {
    if (take('-')) return -1.0 * signed_power();
    const Taylor base = factor();
    if (!take('^')) return base;
    const double n = signed_power().value, x = base.value;
    return compose(base, std::pow(x, n), n * std::pow(x, n - 1), n * (n - 1) * std::pow(x, n - 2));
  }
  std::string word() {
    blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    return text_.substr(start, at_ - start);
  }
  Taylor factor() {
    if (take('(')) {
      const Taylor result = sum();
      if (!take(')')) fail();
      return result;
    }
    blanks();
    if (at_ >= text_.size()) fail();
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.') {
      char* end = nullptr;
      const double number = std::strtod(text_.c_str() + at_, &end);
      at_ = static_cast<std::size_t>(end - text_.c_str());
      return constant(number);
    }
    const std::string name = word();
    if (name == "t") return time_;
    if (!take('(')) return signals_(name, {});
    if (name == "sin" || name == "cos" || name == "exp") {
      const Taylor a = sum();
      if (!take(')')) fail();
      if (name == "exp") return compose(a, std::exp(a.value), std::exp(a.value), std::exp(a.value));
      const double s = std::sin(a.value), c = std::cos(a.value);
      return name == "sin" ? compose(a, s, c, -s) : compose(a, c, -s, -c);
    }
    std::vector<std::string> arguments{word()};
    while (take(',')) arguments.push_back(word());
    if (!take(')')) fail();
    return signals_(name, arguments);
  }

  const std::string text_;
  Taylor time_;
  SignalValue signals_;
  std::size_t at_ = 0;
};

}  // namespace bricard::differential

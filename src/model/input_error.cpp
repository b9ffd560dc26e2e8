#include "bricard/input_error.h"

#include <utility>

#include "model/printable.h"

namespace bricard {
namespace {

std::string all_texts(const std::vector<Diagnostic>& diagnostics) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!result.empty()) result += '\n';
    result += diagnostic.text();
  }
  return result;
}

}  // namespace

std::string Diagnostic::text() const {
  std::string place = file;
  if (line > 0) {
    if (!place.empty()) place += ':';
    place += std::to_string(line);
    if (column > 0) place += ':' + std::to_string(column);
  }
  std::string result;
  for (const std::string& part : {place, path, message}) {
    if (part.empty()) continue;
    if (!result.empty()) result += ": ";
    result += part;
  }
  // Keys and values of a file are words of others; what has no place may be several texts, line by line.
  return place.empty() && path.empty() ? printable_lines(result) : printable(result);
}

InputError::InputError(std::vector<Diagnostic> found)
    : std::runtime_error(all_texts(found)), diagnostics(std::move(found)) {}

InputError::InputError(const std::string& message) : InputError(std::vector<Diagnostic>{{"", 0, 0, "", message}}) {}

}  // namespace bricard

// Bad input: every problem found in a file or an option, each with its place.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace bricard {

struct Diagnostic {
  std::string file;
  int line = 0, column = 0;  // from 1; 0: unknown
  std::string path;          // joints.A.type
  std::string message;       // what is wrong, and the nearest valid name

  /// "file:line:column: path: message"
  std::string text() const;
};

struct InputError : std::runtime_error {
  explicit InputError(std::vector<Diagnostic> found);
  explicit InputError(const std::string& message);
  std::vector<Diagnostic> diagnostics;
};

}  // namespace bricard

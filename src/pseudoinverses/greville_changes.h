// What `greville` does beyond the equations as printed; each can be switched off.
#pragma once

#include <string>

namespace bricard {

struct GrevilleChanges {
  bool order = false;            // the row farthest from the span of those before goes next
  bool transpose = false;        // of rows and columns those that are fewer
  bool reorthogonalize = false;  // c is made orthogonal to the rows before by more than one pass

  static constexpr GrevilleChanges all() { return {true, true, true}; }
};

/// "all", "none", or some of "order,transpose,reorthogonalize". InputError for anything else.
GrevilleChanges read_greville_changes(const std::string& text);

}  // namespace bricard

// Results are found by the names of their columns: each name is there once.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bricard/input_error.h"

namespace bricard {

/// Throws InputError for a name that is there twice; names of bodies, joints, motions and outputs make them.
inline void refuse_duplicate_columns(const std::vector<std::string>& columns) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(columns.size());
  for (const std::string& column : columns) {
    if (!seen.insert(column).second)
      throw InputError(fmt::format(
          "two columns of the results would be called '{}'; give one of the things called '{}' another name", column,
          column.substr(0, column.find('.'))));
  }
}

}  // namespace bricard

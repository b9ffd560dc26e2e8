// "did you mean": the valid name that is closest to a misspelt one.
#pragma once

#include <string>
#include <vector>

namespace bricard {

/// The candidate with the smallest edit distance, or "" if none is close enough to be meant.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// "; did you mean 'x'?" or, if nothing is close and there are few candidates, "; valid: a, b, c", or "".
std::string suggestion(const std::string& name, const std::vector<std::string>& candidates);

/// Names of a table, as candidates.
template <class Types>
std::vector<std::string> names_of(const Types& types) {
  std::vector<std::string> names;
  for (const auto& type : types) names.emplace_back(type.name);
  return names;
}

}  // namespace bricard

// Edit distance with transpositions of neighbours (optimal string alignment); differences of case and of separators
// are cheap, for "Revolute" and "point-on-line" surely mean "revolute" and "point_on_line".
#include "model/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace bricard {
namespace {

constexpr double slight = 0.25;
// Longer ones are not names, and comparing them would take long.
constexpr std::size_t longest_name = 100;
constexpr std::size_t few_candidates = 12;

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' || c == ' ' ? '_' : c;
}

double replacement(char a, char b) {
  if (a == b) return 0;
  return folded(a) == folded(b) ? slight : 1;
}

double edit_distance(const std::string& a, const std::string& b) {
  // Rows of the table for the last two prefixes of `a` and for the current one.
  std::vector<double> before(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) current[j] = static_cast<double>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, current);
    current[0] = static_cast<double>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + replacement(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1])) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
  }
  return current[b.size()];
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  if (name.size() > longest_name) return "";
  std::string nearest;
  double smallest = std::numeric_limits<double>::infinity();
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_name) continue;
    const double distance = edit_distance(name, candidate);
    const auto length = static_cast<double>(std::max(name.size(), candidate.size()));
    // An edit of every letter is no likeness: "a" does not mean "b".
    const bool close_enough = distance <= std::max(1.0, length / 3) && distance < length;
    if (close_enough && distance < smallest) {
      smallest = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
  if (candidates.empty() || candidates.size() > few_candidates) return "";
  return fmt::format("; valid: {}", fmt::join(candidates, ", "));
}

}  // namespace bricard

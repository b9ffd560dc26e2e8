#include "bricard/effort_summary.h"

#include <algorithm>
#include <cmath>

#include "bricard/model.h"

namespace bricard {

EffortSummary::EffortSummary(const Model& model, const std::vector<std::string>& columns,
                             const std::vector<std::string>& watched)
    : components_(model.planar() ? 2 : 3) {
  const auto find = [&](const std::string& name) {
    const auto found = std::find(columns.begin(), columns.end(), name);
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
  };
  for (const std::string& name : watched) {
    if (const int column = find(name); column >= 0) {
      range_columns_.push_back(column);
      ranges_.push_back({.name = name});
    }
  }
  for (const Joint& joint : model.joints) {
    if (const int column = find(joint.name + ".fx"); column >= 0) {
      force_columns_.push_back(column);
      reactions_.push_back({.joint = joint.name});
    }
  }
}

void EffortSummary::add(const Vector& row) {
  for (std::size_t k = 0; k < ranges_.size(); ++k) {
    const double value = row[range_columns_[k]];
    ColumnRange& range = ranges_[k];
    // The first of those that are equal but for rounding, which another compiler rounds otherwise.
    const double rounding = 1e-13 * std::max(std::abs(range.least), std::abs(range.most));
    if (rows_ == 0 || value < range.least - rounding) range.least = value, range.least_time = row[0];
    if (rows_ == 0 || value > range.most + rounding) range.most = value, range.most_time = row[0];
  }
  for (std::size_t k = 0; k < reactions_.size(); ++k) {
    const double force = row.segment(force_columns_[k], components_).norm();
    if (rows_ == 0 || force > reactions_[k].force) reactions_[k].force = force, reactions_[k].time = row[0];
  }
  ++rows_;
}

void EffortSummary::measure(const std::function<double(const std::string& column)>& size_of) {
  const double time = size_of("time");
  for (ColumnRange& range : ranges_) {
    const double size = size_of(range.name);
    range.least *= size, range.most *= size;
    range.least_time *= time, range.most_time *= time;
  }
  for (PeakReaction& peak : reactions_) {
    peak.force *= size_of(peak.joint + ".fx");
    peak.time *= time;
  }
}

const PeakReaction* EffortSummary::largest_reaction() const {
  const auto largest = std::max_element(reactions_.begin(), reactions_.end(),
                                        [](const auto& a, const auto& b) { return a.force < b.force; });
  return largest == reactions_.end() || rows_ == 0 ? nullptr : &*largest;
}

}  // namespace bricard

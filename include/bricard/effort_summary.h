// What a user wants to know first of efforts and reactions: ranges, peaks, and when.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bricard/types.h"

namespace bricard {

struct Model;

/// Least and largest value of a column.
struct ColumnRange {
  std::string name;
  double least = 0, least_time = 0, most = 0, most_time = 0;
};

struct PeakReaction {
  std::string joint;
  double force = 0, time = 0;
};

class EffortSummary {
 public:
  EffortSummary() = default;
  /// Watches the named columns, and the forces of all joints.
  EffortSummary(const Model& model, const std::vector<std::string>& columns, const std::vector<std::string>& watched);

  void add(const Vector& row);
  /// Everything in other units: columns and times by their sizes there.
  void measure(const std::function<double(const std::string& column)>& size_of);
  const std::vector<ColumnRange>& ranges() const { return ranges_; }
  bool empty() const { return rows_ == 0; }
  /// One for each joint with a reaction force.
  const std::vector<PeakReaction>& reactions() const { return reactions_; }
  /// The largest of them; null if there are none.
  const PeakReaction* largest_reaction() const;

 private:
  std::vector<ColumnRange> ranges_;
  std::vector<int> range_columns_;
  std::vector<PeakReaction> reactions_;
  std::vector<int> force_columns_;
  int components_ = 2;
  long rows_ = 0;
};

}  // namespace bricard

// Below what singular values, or pivots that stand for them, count as zero.
#pragma once

namespace bricard {

struct RankThreshold {
  RankThreshold(double relative) : value(relative) {}  // NOLINT(google-explicit-constructor): the usual kind
  RankThreshold(double given, bool is_absolute) : value(given), absolute(is_absolute) {}

  /// In units in which the matrix is `scale` times what it was: the largest value is `largest`.
  double least(double largest, double scale = 1) const { return value * (absolute ? scale : largest); }

  double value;
  bool absolute = false;  // or relative to the largest
};

}  // namespace bricard

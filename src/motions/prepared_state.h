// The state that a motion has put on its constraints last, with factors at hand that serve the derivative there.
#pragma once

#include <cstring>

#include "bricard/types.h"

namespace bricard {

class PreparedState {
 public:
  /// `size`: of positions and velocities, with which states begin.
  explicit PreparedState(int size) : values_(size) {}

  void set(double t, const VectorRef& x) {
    time_ = t;
    values_ = x.head(values_.size());
    is_valid_ = true;
  }
  void forget() { is_valid_ = false; }
  bool is(double t, const ConstVector& x) const {
    return is_valid_ && t == time_ && std::memcmp(x.data(), values_.data(), sizeof(double) * values_.size()) == 0;
  }

 private:
  double time_ = 0;
  Vector values_;
  bool is_valid_ = false;
};

}  // namespace bricard

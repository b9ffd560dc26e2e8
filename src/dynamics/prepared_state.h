// Where an engine has put a state on its constraints last, with factors at hand that serve the accelerations there.
#pragma once

#include <cstring>

#include "bricard/types.h"

namespace bricard {

class PreparedState {
 public:
  /// `size`: of positions and velocities.
  explicit PreparedState(int size) : values_(size) {}

  void set(double t, const VectorRef& q, const VectorRef& v) {
    time_ = t;
    std::memcpy(values_.data(), q.data(), sizeof(double) * q.size());
    std::memcpy(values_.data() + q.size(), v.data(), sizeof(double) * v.size());
    is_valid_ = true;
  }
  void forget() { is_valid_ = false; }
  template <class Q, class V>
  bool is(double t, const Q& q, const V& v) const {
    return is_valid_ && t == time_ && std::memcmp(q.data(), values_.data(), sizeof(double) * q.size()) == 0 &&
           std::memcmp(v.data(), values_.data() + q.size(), sizeof(double) * v.size()) == 0;
  }

 private:
  double time_ = 0;
  Vector values_;
  bool is_valid_ = false;
};

}  // namespace bricard

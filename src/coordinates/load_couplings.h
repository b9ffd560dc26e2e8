// How loads on markers change with the markers: what an element says of its derivatives, whatever the coordinates.
#pragma once

#include "bricard/types.h"

namespace bricard {

class LoadCouplings {
 public:
  virtual ~LoadCouplings() = default;
  /// d load/d value of a marker (of a rotation: the small rotation), on the marker that is loaded. An element makes the
  /// same calls in the same order at every state, as their places are found once.
  virtual void add(int loaded, int marker, const Mat3& of_value) = 0;
  /// With d load/d rate.
  virtual void add(int loaded, int marker, const Mat3& of_value, const Mat3& of_rate) = 0;
};

}  // namespace bricard

// Quintic Hermite interpolation of positions within a step, from x, x', x'' at both ends and, one order better, x'' in
// the middle; rates are those of the polynomial.
#pragma once

#include "model/types.h"

namespace bricard {

struct HermiteEnds {
  double h;  // length of the step
  ConstVector x0, rate0, acceleration0, x1, rate1, acceleration1;
};

/// Position and rate at the fraction s of the step.
inline void quintic(const HermiteEnds& e, double s, VectorRef x, VectorRef rate) {
  const double h = e.h, s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
  const double end = 10 * s3 - 15 * s4 + 6 * s5, end_slope = h != 0 ? (30 * s2 - 60 * s3 + 30 * s4) / h : 0;
  x = (1 - end) * e.x0 + end * e.x1 + h * (s - 6 * s3 + 8 * s4 - 3 * s5) * e.rate0 +
      h * (-4 * s3 + 7 * s4 - 3 * s5) * e.rate1 + h * h * 0.5 * (s2 - 3 * s3 + 3 * s4 - s5) * e.acceleration0 +
      h * h * 0.5 * (s3 - 2 * s4 + s5) * e.acceleration1;
  rate = end_slope * (e.x1 - e.x0) + (1 - 18 * s2 + 32 * s3 - 15 * s4) * e.rate0 +
         (-12 * s2 + 28 * s3 - 15 * s4) * e.rate1 + h * 0.5 * (2 * s - 9 * s2 + 12 * s3 - 5 * s4) * e.acceleration0 +
         h * 0.5 * (3 * s2 - 8 * s3 + 5 * s4) * e.acceleration1;
}

/// Adds what the quintic lacks to have the acceleration `middle` at s = 1/2: a multiple of s^3 (1 - s)^3, which is flat
/// at both ends and has second derivative -3/8 there.
inline void add_middle(const HermiteEnds& e, ConstVector middle, double s, VectorRef x, VectorRef rate) {
  if (e.h == 0) return;
  const double r = s * (1 - s);
  const auto lack = middle - 1.5 / e.h * (e.rate1 - e.rate0) + 0.25 * (e.acceleration0 + e.acceleration1);
  x -= 8.0 / 3 * e.h * e.h * r * r * r * lack;
  rate -= 8 * e.h * r * r * (1 - 2 * s) * lack;
}

}  // namespace bricard

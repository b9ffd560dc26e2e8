// A quantity along a path with its first and second derivative; so for vectors. The only source of derivatives of the
// reference.
#pragma once

#include <cmath>

#include "bricard/types.h"

namespace bricard::differential {

struct Taylor {
  double value = 0, rate = 0, second = 0;
};
inline Taylor operator+(const Taylor& a, const Taylor& b) {
  return {a.value + b.value, a.rate + b.rate, a.second + b.second};
}
inline Taylor operator-(const Taylor& a, const Taylor& b) {
  return {a.value - b.value, a.rate - b.rate, a.second - b.second};
}
inline Taylor operator*(const Taylor& a, const Taylor& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.second * b.value + 2 * a.rate * b.rate + a.value * b.second};
}
inline Taylor operator*(double a, const Taylor& b) { return {a * b.value, a * b.rate, a * b.second}; }
/// f(a) for f, f' and f'' at a.
inline Taylor compose(const Taylor& a, double f, double slope, double curvature) {
  return {f, slope * a.rate, slope * a.second + curvature * a.rate * a.rate};
}
inline Taylor constant(double value) { return {value, 0, 0}; }
inline Taylor reciprocal(const Taylor& a) {
  const double f = 1 / a.value;
  return compose(a, f, -f * f, 2 * f * f * f);
}
inline Taylor root(const Taylor& a) {
  const double f = std::sqrt(a.value);
  return compose(a, f, 0.5 / f, -0.25 / (f * a.value));
}
/// Angle of (c, s).
inline Taylor angle_of(const Taylor& s, const Taylor& c) {
  // (s' c - s c')/(s^2 + c^2) is the rate of the angle.
  const double r2 = s.value * s.value + c.value * c.value;
  const double cross = s.rate * c.value - s.value * c.rate, along = s.rate * s.value + c.rate * c.value;
  return {std::atan2(s.value, c.value), cross / r2,
          (s.second * c.value - s.value * c.second) / r2 - 2 * cross * along / (r2 * r2)};
}

struct TaylorVector {
  Vec3 value = Vec3::Zero(), rate = Vec3::Zero(), second = Vec3::Zero();
};
inline TaylorVector operator+(const TaylorVector& a, const TaylorVector& b) {
  return {a.value + b.value, a.rate + b.rate, a.second + b.second};
}
inline TaylorVector operator-(const TaylorVector& a, const TaylorVector& b) {
  return {a.value - b.value, a.rate - b.rate, a.second - b.second};
}
inline TaylorVector operator*(const Taylor& a, const TaylorVector& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.second * b.value + 2 * a.rate * b.rate + a.value * b.second};
}
inline Taylor dot(const TaylorVector& a, const TaylorVector& b) {
  return {a.value.dot(b.value), a.rate.dot(b.value) + a.value.dot(b.rate),
          a.second.dot(b.value) + 2 * a.rate.dot(b.rate) + a.value.dot(b.second)};
}
inline TaylorVector cross(const TaylorVector& a, const TaylorVector& b) {
  return {a.value.cross(b.value), a.rate.cross(b.value) + a.value.cross(b.rate),
          a.second.cross(b.value) + 2 * a.rate.cross(b.rate) + a.value.cross(b.second)};
}
inline TaylorVector unit(const TaylorVector& a) { return reciprocal(root(dot(a, a))) * a; }
inline TaylorVector fixed(const Vec3& value) { return {value, Vec3::Zero(), Vec3::Zero()}; }

}  // namespace bricard::differential

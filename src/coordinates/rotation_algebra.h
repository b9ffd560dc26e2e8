// Small rotation formulas shared by the coordinate sets.
#pragma once

#include <cmath>

#include "bricard/types.h"

namespace bricard {

/// v x w = cross_matrix(v) w
inline Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

/// Rotation vector (axis times angle in [0, pi]) of a unit quaternion.
inline Vec3 rotation_vector(Quaternion p) {
  if (p.w() < 0) p.coeffs() = -p.coeffs();
  const double sine = p.vec().norm();
  return sine < 1e-12 ? Vec3(2 * p.vec()) : Vec3(2 * std::atan2(sine, p.w()) / sine * p.vec());
}

/// Unit quaternion of a rotation vector.
inline Quaternion rotation_quaternion(const Vec3& rotation) {
  const double angle = rotation.norm();
  const double factor = angle < 1e-6 ? 0.5 - angle * angle / 48 : std::sin(angle / 2) / angle;
  Quaternion p;
  p.w() = std::cos(angle / 2);
  p.vec() = factor * rotation;
  return p;
}

/// Any unit vector perpendicular to a unit vector; the same one for the same input.
inline Vec3 any_perpendicular(const Vec3& u) {
  Vec3 other = Vec3::Zero();
  int smallest = 0;
  u.cwiseAbs().minCoeff(&smallest);
  other[smallest] = 1;
  return u.cross(other).normalized();
}

}  // namespace bricard

// Rotations as unit quaternions p whose velocity coordinates are the angular velocity w:  p' = 1/2 (0, w) p.
#pragma once

#include "coordinates/rotation_algebra.h"

namespace bricard::unit_quaternion {

inline Quaternion read(const double* p) { return {p[0], p[1], p[2], p[3]}; }
inline void store(const Quaternion& value, double* p) {
  p[0] = value.w(), p[1] = value.x(), p[2] = value.y(), p[3] = value.z();
}

// p' = 1/2 (0, w) p
inline void rate(const double* p, const double* w, double* pdot) {
  pdot[0] = -0.5 * (w[0] * p[1] + w[1] * p[2] + w[2] * p[3]);
  pdot[1] = 0.5 * (w[0] * p[0] + w[1] * p[3] - w[2] * p[2]);
  pdot[2] = 0.5 * (w[1] * p[0] + w[2] * p[1] - w[0] * p[3]);
  pdot[3] = 0.5 * (w[2] * p[0] + w[0] * p[2] - w[1] * p[1]);
}

// (0, w) = 2 p' conj(p) / |p|^2; a p' along p turns nothing
inline void velocity(const double* p, const double* pdot, double* w) {
  const Quaternion product = read(pdot) * read(p).conjugate();
  const double factor = 2 / read(p).squaredNorm();
  for (int k = 0; k < 3; ++k) w[k] = factor * product.vec()[k];
}

// p'' = 1/2 (0, w') p + 1/2 (0, w) p' = 1/2 (0, w') p - 1/4 |w|^2 p
inline void acceleration(const double* p, const double* w, const double* wdot, double* pddot) {
  rate(p, wdot, pddot);
  const double factor = 0.25 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  for (int k = 0; k < 4; ++k) pddot[k] -= factor * p[k];
}

inline void advance(double* p, const double* displacement) {
  const Vec3 turn(displacement[0], displacement[1], displacement[2]);
  store((rotation_quaternion(turn) * read(p)).normalized(), p);
}

inline void difference(const double* p0, const double* p1, double* displacement) {
  const Vec3 turn = rotation_vector(read(p1).normalized() * read(p0).normalized().conjugate());
  for (int k = 0; k < 3; ++k) displacement[k] = turn[k];
}

}  // namespace bricard::unit_quaternion

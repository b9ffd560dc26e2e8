// Sets whose velocity coordinates are the bodies' twists, so that derivatives of everything have closed forms with
// cross products. Body by body, in the order of the model:
//   plane: q = (x, y, angle),   v = q'
//   space: q = (r, p), v = (r', omega) with omega in world axes, p a quaternion (scalar first) whose length does not
//          matter,   p' = N omega,   omega = T p',   N = 1/2 [.] p,   T = 4 N^T / |p|^2,   Z = d(N omega)/dp
#pragma once

#include "coordinates/unit_quaternion.h"

namespace bricard {

struct QuaternionRates {
  QuaternionRates(const double* p, const double* omega) {
    for (int k = 0; k < 3; ++k) {
      const Vec3 unit = Vec3::Unit(k);
      unit_quaternion::rate(p, unit.data(), N.col(k).data());
    }
    T = 4 / unit_quaternion::read(p).squaredNorm() * N.transpose();
    for (int k = 0; k < 4; ++k) {
      const Eigen::Vector4d unit = Eigen::Vector4d::Unit(k);
      unit_quaternion::rate(unit.data(), omega, Z.col(k).data());
    }
  }
  Eigen::Matrix<double, 4, 3> N;
  Eigen::Matrix<double, 3, 4> T;
  Eigen::Matrix4d Z;  // Z^2 = -|omega|^2/4 I
};

}  // namespace bricard

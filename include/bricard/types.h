// The few small types that every station uses.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace bricard {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quaternion = Eigen::Quaterniond;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using ConstVector = Eigen::Ref<const Vector>;
using VectorRef = Eigen::Ref<Vector>;

/// Index of the body that never moves. Bodies are numbered from 0.
inline constexpr int ground = -1;

/// A value with its first and second derivative with respect to time.
struct Jet {
  double value = 0;
  double rate = 0;
  double acceleration = 0;
};

}  // namespace bricard

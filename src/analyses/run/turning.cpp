#include "analyses/run/turning.h"

#include <cmath>

#include "coordinates/rotation_algebra.h"
#include "linear/dense/dense.h"

namespace bricard {
namespace {

// Residuals of steady motions are rounding and the errors of derivatives.
constexpr double smallest_change = 1e-8;

Matrix apply(const System& system, const Mat3& map, const Matrix& X) {
  Matrix result = X;
  if (system.model().planar()) {
    for (int k = 0; k < X.rows(); k += 3) result.middleRows(k, 2) = map.topLeftCorner<2, 2>() * X.middleRows(k, 2);
  } else {
    for (int k = 0; k < X.rows(); k += 3) result.middleRows(k, 3) = map * X.middleRows(k, 3);
  }
  return result;
}

}  // namespace

Matrix turned(const System& system, const Vec3& w, const Matrix& X) {
  Matrix result = apply(system, cross_matrix(w), X);
  for (int k = 2; system.model().planar() && k < X.rows(); k += 3) result.row(k).setZero();
  return result;
}

Matrix rotated(const System& system, const Vec3& turn, const Matrix& X) {
  return apply(system, rotation_quaternion(turn).toRotationMatrix(), X);
}

Matrix spun(const System& system, const Vector& v, const Matrix& X) {
  Matrix result = Matrix::Zero(X.rows(), X.cols());
  if (system.model().planar()) return result;
  for (int k = 3; k < X.rows(); k += 6) result.middleRows(k, 3) = cross_matrix(v.segment<3>(k)) * X.middleRows(k, 3);
  return result;
}

Turning find_turning(const LocalEquations& equations, const Matrix& Z, const Matrix& Y, const Matrix& P_rate,
                     double rate) {
  const System& system = equations.system();
  const bool planar = system.model().planar();
  const int unknowns = planar ? 1 : 3, n = static_cast<int>(equations.v().size()), bodies = planar ? 0 : n / 6;
  const double pace = equations.size_of(equations.v());
  rate = std::max(rate, pace);
  Turning turning;
  if (pace <= 1e-10 * rate) {  // rest
    turning.ok = equations.size_of(equations.acceleration()) <= smallest_change * rate * rate;
    return turning;
  }

  // Dimensionless: accelerations by pace^2 and lengths, the others by pace and their own size.
  Vector weight(n);
  for (int k = 0; k < n; ++k)
    weight[k] = 1 / (pace * pace * (system.coordinates().is_rotation(k) ? 1 : equations.length()));
  Vector row_weight(P_rate.rows());
  for (int row = 0; row < P_rate.rows(); ++row) {
    const double size = std::sqrt(equations.P().row(row).cwiseAbs2().dot(equations.metric().cwiseInverse()));
    row_weight[row] = size > 0 ? 1 / (size * pace) : 0;
  }
  // Position-level rows for all displacements, velocity-level ones for velocities only: there they vanish.
  const auto allowed = [&](const Matrix& rows, const Matrix& displacements, const Matrix& velocities) {
    Matrix product = rows * displacements;
    for (int row = 0; row < rows.rows(); ++row) {
      if (!system.rows()[row].velocity_level) continue;
      product.row(row).setZero();
      product.row(row).head(velocities.cols()) = rows.row(row) * velocities;
    }
    return product;
  };
  const auto moments = [&](const Vec3* w) {  // [w~, J] of each body; null: of its own angular velocity
    Vector result(9 * bodies);
    for (int b = 0; b < bodies; ++b) {
      const Mat3 J = equations.M().block<3, 3>(6 * b + 3, 6 * b + 3);
      const Mat3 cross = cross_matrix(w ? *w : Vec3(equations.v().segment<3>(6 * b + 3)));
      const Mat3 change = (cross * J - J * cross) / (pace * std::max(J.trace(), 1e-300));
      result.segment(9 * b, 9) = Eigen::Map<const Vector>(change.data(), 9);
    }
    return result;
  };
  const auto stacked = [&](const Vector& accelerations, const Vector& inertia, const Matrix& rows) {
    const Matrix scaled = row_weight.asDiagonal() * rows;
    Vector result(n + inertia.size() + scaled.size());
    result << weight.cwiseProduct(accelerations), inertia, Eigen::Map<const Vector>(scaled.data(), scaled.size());
    return result;
  };
  const Vector goal = stacked(equations.acceleration(), moments(nullptr), allowed(P_rate, Z, Y));
  Matrix columns(goal.size(), unknowns);
  for (int k = 0; k < unknowns; ++k) {
    const Vec3 w = Vec3::Unit(planar ? 2 : k);
    const Matrix rows = -allowed(equations.P(), turned(system, w, Z), turned(system, w, Y));
    columns.col(k) = stacked(turned(system, w, equations.v()), moments(&w), rows) * pace;
  }
  const Vector w = least_norm_solution(columns, goal, 1e-6);
  const Vector residual = (columns * w - goal).cwiseAbs();
  if (residual.head(n).maxCoeff() * pace * pace > smallest_change * rate * rate) return turning;
  if (residual.size() > n && residual.tail(residual.size() - n).maxCoeff() > smallest_change) return turning;
  turning.ok = true;
  if (planar) {
    turning.w.z() = w[0] * pace;
  } else {
    turning.w = w * pace;
  }
  return turning;
}

}  // namespace bricard

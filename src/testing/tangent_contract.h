// Derivatives of the equations against Romberg differences of the residuals they are derivatives of, at a random state
// off the constraints.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "system/tangent.h"
#include "testing/differentiate.h"

namespace bricard::contracts {

/// A system at a random state near its reference configuration, with random accelerations and multipliers.
struct TangentSituation {
  explicit TangentSituation(std::shared_ptr<const Model> model, const char* coordinates = "reference-point")
      : system(std::move(model), *find_coordinates_type(coordinates)), eq(system.empty_equations()) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    const int n = system.velocity_size();
    q.resize(system.position_size()), v.resize(n), a.resize(n), lambda.resize(system.row_count());
    const double length = system.model().characteristic_length();
    Vector away(n);
    for (int k = 0; k < n; ++k) {
      const double scale = system.coordinates().is_rotation(k) ? 1 : length;
      away[k] = 0.03 * scale * number(random), v[k] = scale * number(random), a[k] = scale * number(random);
    }
    for (int k = 0; k < lambda.size(); ++k) lambda[k] = number(random);
    system.coordinates().reference(q);
    system.coordinates().advance(q, away);
  }

  void evaluate(const Vector& at, const Vector& velocities) {
    system.evaluate(t, at, velocities, Vector::Zero(system.state_size()), Upto::dynamics, eq);
  }
  Vector residual() { return eq.M * a + eq.P.transpose() * lambda - eq.Q; }
  Vector G() { return eq.P * a - eq.gamma; }

  /// A derivative with respect to positions or velocities, column by column.
  template <class Value>
  Matrix differences(bool of_positions, const Value& value) {
    Matrix result;
    const double step = 2e-3;
    for (int k = 0; k < v.size(); ++k) {
      const Vector column = testing_support::differentiate(
          [&](double s) {
            Vector at = q, velocities = v, displacement = Vector::Zero(v.size());
            displacement[k] = s * (system.coordinates().is_rotation(k) ? 1 : system.model().characteristic_length());
            if (of_positions)
              system.coordinates().advance(at, displacement);
            else
              velocities += displacement;
            evaluate(at, velocities);
            return Vector(value());
          },
          step);
      if (k == 0) result.resize(column.size(), v.size());
      result.col(k) = column / (system.coordinates().is_rotation(k) ? 1 : system.model().characteristic_length());
    }
    return result;
  }

  System system;
  Equations eq;
  Vector q, v, a, lambda;
  double t = 0.3;
};

inline void expect_equal(const Matrix& exact, const Matrix& differences, const char* name, double terms,
                         double tolerance) {
  ASSERT_EQ(exact.rows(), differences.rows());
  const double scale = std::max(terms, differences.size() > 0 ? differences.lpNorm<Eigen::Infinity>() : 0.0);
  for (int row = 0; row < exact.rows(); ++row)
    for (int column = 0; column < exact.cols(); ++column)
      ASSERT_NEAR(exact(row, column), differences(row, column), tolerance * scale)
          << name << "(" << row << ", " << column << ")";
}

/// Of a system whose derivatives are known.
inline void expect_exact_tangent(TangentSituation& s, double tolerance = 1e-8) {
  Tangent tangent(s.system);
  ASSERT_TRUE(tangent.exact());
  s.evaluate(s.q, s.v);
  const double load = s.eq.Q.lpNorm<Eigen::Infinity>() + 1;
  tangent.update(s.t, s.a, s.lambda);
  tangent.update_rows(s.t, s.a);
  expect_equal(tangent.K(), s.differences(true, [&] { return s.residual(); }), "K", load, tolerance);
  expect_equal(tangent.C(), s.differences(false, [&] { return s.residual(); }), "C", load, tolerance);
  if (s.system.row_count() == 0) return;
  expect_equal(tangent.Phi_dot_q(), s.differences(true, [&] { return s.eq.Phi_dot; }), "Phi_dot_q", 1, tolerance);
  expect_equal(tangent.G_q(), s.differences(true, [&] { return s.G(); }), "G_q", 1, tolerance);
  expect_equal(tangent.G_v(), s.differences(false, [&] { return s.G(); }), "G_v", 1, tolerance);
}

}  // namespace bricard::contracts

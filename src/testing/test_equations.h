// Equations with known solutions for integrators, and how they are integrated.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "integrators/integrator.h"

namespace bricard::testing_support {

/// Equations made of functions, which count their evaluations.
struct TestEquations : MotionEquations {
  using Derivative = std::function<Status(double, const ConstVector&, VectorRef)>;
  using AfterStep = std::function<StepChange(double, VectorRef)>;

  TestEquations(int size_, Derivative function_, AfterStep correction_ = {})
      : state_size(size_), function(std::move(function_)), correction(std::move(correction_)) {}
  int size() const override { return state_size; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override {
    ++evaluations;
    return function(t, x, xdot);
  }
  bool corrects_steps() const override { return static_cast<bool>(correction); }
  StepChange after_step(double t, VectorRef x) override {
    ++corrections;
    last_corrected_time = t;
    return correction ? correction(t, x) : StepChange::none;
  }
  void error_scales(VectorRef scales) const override {
    scales.setOnes();
    for (int k : uncontrolled) scales[k] = std::numeric_limits<double>::infinity();
  }
  std::string failure() const override { return explanation; }

  int state_size;
  Derivative function;
  AfterStep correction;
  std::vector<int> uncontrolled;
  std::string explanation;
  long evaluations = 0, corrections = 0;
  double last_corrected_time = 0;
};

// x' = -2 t x^2, x(0) = 1: x = 1 / (1 + t^2). Neither linear nor autonomous.
inline TestEquations witch() {
  return {1, [](double t, const ConstVector& x, VectorRef xdot) {
            xdot[0] = -2 * t * x[0] * x[0];
            return Status::ok;
          }};
}
inline double witch_solution(double t) { return 1 / (1 + t * t); }

inline TestEquations decay() {
  return {1, [](double, const ConstVector& x, VectorRef xdot) {
            xdot = -x;
            return Status::ok;
          }};
}

inline Status oscillate(double, const ConstVector& x, VectorRef xdot) {
  xdot << x[1], -x[0];
  return Status::ok;
}

// Kepler's ellipse with mu = a = 1 from the pericentre: period 2 pi.
inline constexpr double eccentricity = 0.5;
inline TestEquations kepler() {
  return {4, [](double, const ConstVector& x, VectorRef xdot) {
            const double cube = std::pow(x[0] * x[0] + x[1] * x[1], 1.5);
            xdot << x[2], x[3], -x[0] / cube, -x[1] / cube;
            return Status::ok;
          }};
}
inline Vector kepler_start() {
  return Eigen::Vector4d(1 - eccentricity, 0, 0, std::sqrt((1 + eccentricity) / (1 - eccentricity)));
}

// theta'' = -sin(theta) from rest at theta = 1: period 4 K(sin(1/2)).
inline TestEquations pendulum() {
  return {2, [](double, const ConstVector& x, VectorRef xdot) {
            xdot << x[1], -std::sin(x[0]);
            return Status::ok;
          }};
}
inline const Vector pendulum_start = Eigen::Vector2d(1, 0);
inline double pendulum_period() { return 4 * std::comp_ellint_1(std::sin(0.5)); }

inline Vector scalar(double value) { return Vector::Constant(1, value); }

/// Steps to t_end and returns the status that ended it.
inline Status run(Integrator& integrator, double t_end, const std::function<void()>& after_each = {}) {
  for (int k = 0; integrator.time() < t_end; ++k) {
    if (k > 1000000) return Status::fatal;
    const double before = integrator.time();
    const Status status = integrator.step(t_end);
    if (status != Status::ok) return status;
    EXPECT_GT(integrator.time(), before);
    EXPECT_LE(integrator.time(), t_end);
    if (after_each) after_each();
  }
  return Status::ok;
}

struct Outcome {
  Status status;
  Vector state;
  IntegratorCounts counts;
};

inline Outcome integrate(const IntegratorType& type, TestEquations& equations, const Vector& start, double t_end,
                         const IntegratorOptions& options) {
  const auto integrator = type.create(options);
  EXPECT_EQ(integrator->start(equations, 0, start), Status::ok) << integrator->failure();
  const Status status = run(*integrator, t_end);
  if (status == Status::ok) {
    EXPECT_EQ(integrator->time(), t_end);
  }
  EXPECT_EQ(equations.evaluations, integrator->counts().evaluations);
  return {status, integrator->state(), integrator->counts()};
}

}  // namespace bricard::testing_support

// Motions in minimal coordinates, derived by hand for one test each and integrated by a few lines that share nothing
// with the engine: references for whole runs.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace bricard::testing_support {

/// x(until) of x' = rate(t, x) by the classical Runge-Kutta method; smooth motions of seconds are good to about 1e-12.
inline Eigen::VectorXd runge_kutta(const std::function<Eigen::VectorXd(double, const Eigen::VectorXd&)>& rate, double t,
                                   Eigen::VectorXd x, double until, double largest_step = 2e-4) {
  const int steps = std::max(1, static_cast<int>(std::ceil((until - t) / largest_step)));
  const double h = (until - t) / steps;
  for (int k = 0; k < steps; ++k, t += h) {
    const Eigen::VectorXd k1 = rate(t, x), k2 = rate(t + h / 2, x + h / 2 * k1);
    const Eigen::VectorXd k3 = rate(t + h / 2, x + h / 2 * k2), k4 = rate(t + h, x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return x;
}

/// A function of one variable with its first and second derivative.
struct Taylor {
  double value = 0, first = 0, second = 0;
};
inline Taylor constant(double value) { return {value, 0, 0}; }
inline Taylor variable(double value) { return {value, 1, 0}; }
inline Taylor operator+(const Taylor& a, const Taylor& b) {
  return {a.value + b.value, a.first + b.first, a.second + b.second};
}
inline Taylor operator*(double a, const Taylor& b) { return {a * b.value, a * b.first, a * b.second}; }
inline Taylor operator-(const Taylor& a, const Taylor& b) { return a + -1.0 * b; }
inline Taylor operator*(const Taylor& a, const Taylor& b) {
  return {a.value * b.value, a.first * b.value + a.value * b.first,
          a.second * b.value + 2 * a.first * b.first + a.value * b.second};
}
/// f(a), given f, f' and f'' at a.
inline Taylor chain(const Taylor& a, double f, double slope, double curvature) {
  return {f, slope * a.first, slope * a.second + curvature * a.first * a.first};
}
inline Taylor sin(const Taylor& a) { return chain(a, std::sin(a.value), std::cos(a.value), -std::sin(a.value)); }
inline Taylor cos(const Taylor& a) { return chain(a, std::cos(a.value), -std::sin(a.value), -std::cos(a.value)); }
inline Taylor sqrt(const Taylor& a) {
  const double root = std::sqrt(a.value);
  return chain(a, root, 0.5 / root, -0.25 / (root * a.value));
}
inline Taylor inverse(const Taylor& a) {
  const double f = 1 / a.value;
  return chain(a, f, -f * f, 2 * f * f * f);
}

/// A planar body of a mechanism with one degree of freedom. `turning`: derivative of its angle, in value and first.
struct ReducedBody {
  double mass, inertia;
  Taylor x, y, turning;
};

/// A uniform rod between two points.
inline ReducedBody reduced_rod(double mass, const Taylor& x1, const Taylor& y1, const Taylor& x2, const Taylor& y2) {
  const Taylor dx = x2 - x1, dy = y2 - y1;
  const double length2 = dx.value * dx.value + dy.value * dy.value;
  // angle' = (dx dy' - dy dx')/l^2; the length is constant
  return {mass,
          mass * length2 / 12,
          0.5 * (x1 + x2),
          0.5 * (y1 + y2),
          {(dx.value * dy.first - dy.value * dx.first) / length2,
           (dx.value * dy.second - dy.value * dx.second) / length2, 0}};
}

/// phi'' from J phi'' + (J'/2) phi'^2 = force, J = sum of m |r'|^2 + I angle'^2; the force is that of the weight along
/// -y.
inline double reduced_acceleration(const std::vector<ReducedBody>& bodies, double rate, double gravity = 9.81) {
  double J = 0, half_slope = 0, force = 0;
  for (const ReducedBody& b : bodies) {
    J += b.mass * (b.x.first * b.x.first + b.y.first * b.y.first) + b.inertia * b.turning.value * b.turning.value;
    half_slope +=
        b.mass * (b.x.first * b.x.second + b.y.first * b.y.second) + b.inertia * b.turning.value * b.turning.first;
    force -= b.mass * gravity * b.y.first;
  }
  return (force - half_slope * rate * rate) / J;
}

/// (phi, phi') at the given times, which ascend from 0.
inline std::vector<Eigen::Vector2d> reduced_motion(const std::function<std::vector<ReducedBody>(const Taylor&)>& bodies,
                                                   const Eigen::Vector2d& start, const std::vector<double>& times) {
  const auto rate = [&](double, const Eigen::VectorXd& x) -> Eigen::VectorXd {
    return Eigen::Vector2d(x[1], reduced_acceleration(bodies(variable(x[0])), x[1]));
  };
  std::vector<Eigen::Vector2d> states;
  Eigen::VectorXd x = start;
  double t = 0;
  for (const double time : times) {
    x = runge_kutta(rate, t, x, time);
    t = time;
    states.emplace_back(x);
  }
  return states;
}

}  // namespace bricard::testing_support

#include "analyses/linear/linearization.h"

#include <algorithm>
#include <cmath>

#include "analyses/linear/linearizer.h"
#include "bricard/input_error.h"

namespace bricard {
namespace {

/// A moment later along the motion, by the classical Runge-Kutta method. False if the equations have no solution there.
bool move_on(System& system, double& t, Vector& q, Vector& v, Vector& states, double step) {
  const NamedCoordinates none;
  const int n = static_cast<int>(q.size()), m = static_cast<int>(v.size());
  Vector x(n + m + states.size()), sum = Vector::Zero(x.size()), rate = Vector::Zero(x.size()), stage;
  x << q, v, states;
  static constexpr double node[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (int k = 0; k < 4; ++k) {
    stage = x + node[k] * step * rate;
    LocalEquations equations(system, none, t + node[k] * step, stage.head(n), stage.segment(n, m),
                             stage.tail(states.size()));
    if (!equations.ok()) return false;
    system.coordinates().position_rate(stage.head(n), stage.segment(n, m), rate.head(n));
    rate.segment(n, m) = equations.acceleration();
    rate.tail(states.size()) = equations.state_rates();
    sum += weight[k] * rate;
  }
  x += step * sum;
  t += step;
  q = x.head(n), v = x.segment(n, m), states = x.tail(states.size());
  return true;
}

/// Equal up to 1e-6 of what is typical, and up to the errors of derivatives.
bool same_coefficients(const Linearization& a, const Linearization& b) {
  if (a.A.rows() != b.A.rows() || a.displacements != b.displacements) return false;
  if (a.A.size() == 0) return true;
  const Vector units = state_units(a);
  const Matrix change = units.cwiseInverse().asDiagonal() * (b.A - a.A) * units.asDiagonal();
  const double rate = typical_rate(a);
  const double error = (a.derivative_error + b.derivative_error) * a.A.lpNorm<Eigen::Infinity>() / rate;
  return change.lpNorm<Eigen::Infinity>() <= 1e-6 * rate + 10 * error;
}

bool is_steady(const LocalEquations& equations, const NamedCoordinates& named, const Linearization& now) {
  System& system = equations.system();
  // Friction states are steady if they hardly change while the motion does.
  const double pace = equations.pace();
  if (now.states > 0 && equations.state_rates().lpNorm<Eigen::Infinity>() >
                            1e-9 * std::max(1.0, equations.states().lpNorm<Eigen::Infinity>()) * std::max(1.0, pace))
    return false;
  double t = equations.time();
  Vector q = equations.q(), v = equations.v(), states = equations.states();
  const double speed = equations.size_of(equations.v());
  const double step = speed > 0 ? 1 / (64 * speed) : 0.05;
  for (int k = 0; k < 2; ++k) {
    if (!move_on(system, t, q, v, states, step)) return false;
  }
  LocalEquations later_equations(system, named, t, q, v, states);
  if (!later_equations.ok() || later_equations.rows().rank() != equations.rows().rank()) return false;
  Linearizer later(later_equations, named);
  const Vec3 turn = 2 * step * now.turning;
  const NearbyBasis near{rotated(system, turn, now.Z), rotated(system, turn, now.Y), now.turning};
  const Linearization then = later.run(&near);
  return then.ok && later.may_be_steady() && same_coefficients(now, then);
}

}  // namespace

double typical_rate(const Linearization& linear) {
  const int d = linear.displacements, f = linear.speeds;
  const double rate = std::max({linear.pace, std::sqrt(linear.A.block(d, 0, f, d).lpNorm<Eigen::Infinity>()),
                                linear.A.block(d, d, f, f).lpNorm<Eigen::Infinity>(),
                                linear.A.topLeftCorner(d, d).lpNorm<Eigen::Infinity>()});
  return rate > 0 ? rate : 1;
}

Vector state_units(const Linearization& linear) {
  const int d = linear.displacements, f = linear.speeds, k = linear.states;
  Vector units = Vector::Ones(d + f + k);
  units.head(d).setConstant(1 / typical_rate(linear));
  const double by_speeds = linear.A.block(d + f, d, k, f).lpNorm<Eigen::Infinity>(),
               on_speeds = linear.A.block(d, d + f, f, k).lpNorm<Eigen::Infinity>();
  if (by_speeds > 0 && on_speeds > 0) units.tail(k).setConstant(std::sqrt(by_speeds / on_speeds));
  return units;
}

Linearization linearize(System& system, double t, ConstVector q, ConstVector v, const LinearizationOptions& options) {
  if (std::string(system.coordinates_type().name) != "reference-point")
    throw InputError("the equations of motion are linearised in coordinates reference-point");
  const NamedCoordinates named(system, options.independent);
  const Vector states = options.states.size() > 0 ? options.states : Vector::Zero(system.state_size());
  LocalEquations equations(system, named, t, q, v, states);
  Linearizer linearizer(equations, named);
  Linearization result = linearizer.run(nullptr);
  if (result.ok) {
    result.steady = linearizer.may_be_steady() && is_steady(equations, named, result);
    if (!result.steady) {
      if (!result.turning.isZero(0)) {  // an instant that only looks steady: axes at rest
        const NearbyBasis basis{result.Z, result.Y, Vec3::Zero()};
        result = Linearizer(equations, named).run(&basis);
      }
      result.messages.emplace_back(
          "the state is neither an equilibrium nor a steady motion: the eigenvalues are those of the matrix frozen at "
          "this instant, and do not say whether the motion is stable");
    }
  }
  // The system is left at the state.
  Equations eq = system.empty_equations();
  system.evaluate(t, q, v, states, Upto::dynamics, eq);
  return result;
}

}  // namespace bricard

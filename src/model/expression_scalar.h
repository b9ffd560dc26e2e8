// The numbers that an expression is evaluated in: double, Dual (one derivative) and Taylor (two time derivatives).
//
//   f(x)' = f1 x'      f(x)'' = f1 x'' + f2 x'^2      with f1 = df/dx, f2 = d2f/dx2 at x
//
// Where f has an infinite slope and x does not move (sqrt at 0), f does not move either; so it is with abs at 0.
#pragma once

#include <cmath>

namespace bricard {

struct Dual {
  double value, rate;
};

/// Like Jet, but not initialised: the evaluation stack is made of these.
struct Taylor {
  double value, rate, acceleration;
};

/// First and second derivative of a function of one variable.
struct Slopes {
  double first, second;
};

inline double value_of(double a) { return a; }
inline double value_of(const Dual& a) { return a.value; }
inline double value_of(const Taylor& a) { return a.value; }

inline void set_constant(double& a, double value) { a = value; }
inline void set_constant(Dual& a, double value) { a = {value, 0}; }
inline void set_constant(Taylor& a, double value) { a = {value, 0, 0}; }
template <class Scalar>
Scalar constant_of(double value) {
  Scalar result;
  set_constant(result, value);
  return result;
}

inline bool is_motionless(double) { return true; }
inline bool is_motionless(const Dual& a) { return a.rate == 0; }
inline bool is_motionless(const Taylor& a) { return a.rate == 0 && a.acceleration == 0; }

inline Dual operator-(const Dual& a) { return {-a.value, -a.rate}; }
inline Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.rate + b.rate}; }
inline Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.rate - b.rate}; }
inline Dual operator*(const Dual& a, const Dual& b) { return {a.value * b.value, a.rate * b.value + a.value * b.rate}; }
inline Dual operator/(const Dual& a, const Dual& b) {
  const double quotient = a.value / b.value;
  return {quotient, (a.rate - quotient * b.rate) / b.value};
}

inline Taylor operator-(const Taylor& a) { return {-a.value, -a.rate, -a.acceleration}; }
inline Taylor operator+(const Taylor& a, const Taylor& b) {
  return {a.value + b.value, a.rate + b.rate, a.acceleration + b.acceleration};
}
inline Taylor operator-(const Taylor& a, const Taylor& b) {
  return {a.value - b.value, a.rate - b.rate, a.acceleration - b.acceleration};
}
inline Taylor operator*(const Taylor& a, const Taylor& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate,
          a.acceleration * b.value + 2 * a.rate * b.rate + a.value * b.acceleration};
}
inline Taylor operator/(const Taylor& a, const Taylor& b) {
  const double quotient = a.value / b.value;
  const double rate = (a.rate - quotient * b.rate) / b.value;
  return {quotient, rate, (a.acceleration - 2 * rate * b.rate - quotient * b.acceleration) / b.value};
}

/// f(x), given f's value at x and a function that gives its slopes there; plain numbers never ask for the slopes.
template <class SlopesAtX>
double compose(double, double f, const SlopesAtX&) {
  return f;
}
template <class SlopesAtX>
Dual compose(const Dual& x, double f, const SlopesAtX& slopes_at_x) {
  // Before asking for the slope, which may be infinite here.
  if (x.rate == 0) return {f, 0};
  return {f, slopes_at_x().first * x.rate};
}
template <class SlopesAtX>
Taylor compose(const Taylor& x, double f, const SlopesAtX& slopes_at_x) {
  if (is_motionless(x)) return {f, 0, 0};
  const Slopes slopes = slopes_at_x();
  if (x.rate == 0) return {f, 0, std::isfinite(slopes.first) ? slopes.first * x.acceleration : 0};
  const double along_curve = x.acceleration == 0 ? 0 : slopes.first * x.acceleration;
  return {f, slopes.first * x.rate, along_curve + slopes.second * x.rate * x.rate};
}

/// atan2 with c = x/r, s = y/r:  f' = (c y' - s x')/r,  f'' = (c y'' - s x'')/r - 2 f' (c x' + s y')/r.
/// At the origin, where the angle jumps, its derivatives are taken as 0.
inline double arc_tangent(double y, double x) { return std::atan2(y, x); }
inline Dual arc_tangent(const Dual& y, const Dual& x) {
  const double r = std::hypot(x.value, y.value);
  if (r == 0) return {std::atan2(y.value, x.value), 0};
  return {std::atan2(y.value, x.value), (x.value / r * y.rate - y.value / r * x.rate) / r};
}
inline Taylor arc_tangent(const Taylor& y, const Taylor& x) {
  const double r = std::hypot(x.value, y.value);
  if (r == 0) return {std::atan2(y.value, x.value), 0, 0};
  const double c = x.value / r, s = y.value / r;
  const double rate = (c * y.rate - s * x.rate) / r;
  const double turning = (c * y.acceleration - s * x.acceleration) / r;
  return {std::atan2(y.value, x.value), rate, turning - 2 * rate * (c * x.rate + s * y.rate) / r};
}

}  // namespace bricard

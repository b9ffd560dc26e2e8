// Newton's method for the positions that belong to independent coordinates z = B q:
//   [P; B] step = [-Phi; z - B q]                                                          [Jalon-Bayo, section 5.2.3]
#pragma once

#include <limits>

namespace bricard {

/// `error()`: its size here; `step()`: one iteration, false if its matrix is singular. False if it does not converge, or
/// if an iteration makes the error `growth` times larger: a correction that starts near has then failed, while a guess
/// from far away may recover (growth = infinity). `rounding`: of the size of rounding errors, where iterations gain
/// nothing any more although `tolerance` may ask for less.
template <class Error, class Step>
bool find_dependent_positions(double tolerance, double rounding, double growth, const Error& error, const Step& step) {
  constexpr int most = 30;
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most; ++iteration) {
    const double now = error();
    if (now <= tolerance || (now <= 1e4 * rounding && now > 0.5 * before)) return true;
    if (!(now < growth * before) || !step()) return false;
    before = now;
  }
  return false;
}

}  // namespace bricard

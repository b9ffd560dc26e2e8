// Units of length, mass and time other than m, kg and s, in which a model may be measured. They are powers of two, so
// that going there and back changes no digit.
#pragma once

#include <cmath>

namespace bricard {

/// Of a number: powers of kg, m and s. A stiffness is {.mass = 1, .time = -2}.
struct Unit {
  double mass = 0, length = 0, time = 0;
};

struct Units {
  double length = 1, mass = 1, time = 1;

  double velocity() const { return length / time; }
  double acceleration() const { return length / (time * time); }
  double force() const { return mass * length / (time * time); }
  double energy() const { return force() * length; }  // and of moments
  double power() const { return energy() / time; }
  double stiffness() const { return mass / (time * time); }  // of a spring, N/m
  double damping() const { return mass / time; }             // N s/m
  double inertia() const { return mass * length * length; }
  double size_of(const Unit& unit) const {
    return std::pow(mass, unit.mass) * std::pow(length, unit.length) * std::pow(time, unit.time);
  }
  bool are_si() const { return length == 1 && mass == 1 && time == 1; }
  Units inverse() const { return {1 / length, 1 / mass, 1 / time}; }
};

}  // namespace bricard

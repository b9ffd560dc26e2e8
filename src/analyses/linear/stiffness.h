// How fast what a motion can do at one instant is: the outer eigenvalues of the Jacobian J of x' = f(t, x), by
// Arnoldi's method with difference quotients,
//   J V = V H + (rest),   J w ~ (f(x + d w) - f(x)) / d,   eigenvalues of the small H,
// which needs one evaluation of f for each column of V and no matrix.
//                                                          [Saad, Numerical methods for large eigenvalue problems, 6.2]
#pragma once

#include <complex>
#include <vector>

#include "motions/mechanism_motion.h"

namespace bricard {

/// At most `most_evaluations`; all eigenvalues if the state has fewer components. Empty if f cannot be evaluated. The
/// work, which nothing depends on, is left out.
std::vector<std::complex<double>> outer_eigenvalues(MechanismMotion& motion, double t, ConstVector x,
                                                    int most_evaluations = 30);

/// What an integrator needs to know of them.
struct Stiffness {
  double damped = 0;    // fastest rate (1/s) of what damping holds back, so that it dies out within the run
  double swinging = 0;  // fastest angular frequency (1/s) of what swings on
  double lasting = 0;   // fastest rate of what is left: slow decay, growth
};

/// `duration`: of the run, s.
Stiffness stiffness(const std::vector<std::complex<double>>& eigenvalues, double duration);

}  // namespace bricard

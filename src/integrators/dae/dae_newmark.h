// One implicit step of Newmark's family on the constrained equations:
//   q1 = q0 moved by D,   D = h v0 + h^2 ((1/2 - beta) a0 + beta a1),   v1 = v0 + h ((1 - gamma) a0 + gamma a1),
//   (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) v'1 + alpha_f v'0,
//   M v'1 + P^T lambda = Q,   Phi = 0 (velocity-level rows: Phi_dot = 0)   at the end of the step.
// H. Hilber, T. Hughes, R. Taylor, Earthquake Engineering and Structural Dynamics 5 (1977) 283-292 (alpha_m = 0);
// J. Chung, G. Hulbert, Journal of Applied Mechanics 60 (1993) 371-375; M. Arnold, O. Bruels, Multibody System Dynamics
// 18 (2007) 185-202; with rotations, where "moved by" is their exponential: O. Bruels, A. Cardona, M. Arnold, Mechanism
// and Machine Theory 48 (2012) 121-137. Newton's method solves for x = D and y = beta h^2 lambda in the equations
// multiplied by beta h^2, which no small step makes ill-conditioned [C. Bottasso, D. Dopico, L. Trainelli, Multibody
// System Dynamics 19 (2008) 3-20]:
//   [m M + gamma h C + beta h^2 K, P^T; P, -epsilon I] [dx; dy] = -[beta h^2 r; Phi],  m = (1 - alpha_m)/(1 - alpha_f),
// so that stiff springs (K) and dampers (C) are implicit; DaeNewton says what epsilon is. With 1/epsilon = beta h^2
// alpha the matrix is that of the augmented Lagrangian method, m M + gamma h C + beta h^2 (K + P^T alpha P), before dy
// is eliminated. Friction states follow the trapezoidal rule, solved for them in each iteration.
#pragma once

#include <string>

#include "integrators/dae/dae_newton.h"
#include "integrators/dae/dae_work.h"

namespace bricard {

struct NewmarkRule {
  double alpha_m = 0, alpha_f = 0, beta = 0.25, gamma = 0.5;

  /// Least damping of low frequencies for a given spectral radius at infinite frequency [Chung-Hulbert 1993].
  static NewmarkRule generalized_alpha(double spectral_radius);
  /// alpha_m = 0; from 1, the trapezoidal rule, down to 1/2 [Hilber-Hughes-Taylor 1977].
  static NewmarkRule hht(double spectral_radius);
  /// a belongs to the time t + shift h.
  double shift() const { return alpha_m - alpha_f; }
};

class NewmarkStep {
 public:
  enum class Outcome { converged, diverged, not_finite, singular };
  struct Options {
    DaeNewton::Options newton = {};
    int iterations = 10;
    double tolerance =
        1e-9;  // of changes of velocities, relative to them and the size of the model: the iteration ends
    // What is put up with where the iteration gets no further: such changes, and such errors of constraints.
    double tolerable_change = 0, tolerable_error = 0;
  };

  NewmarkStep(DaeEquations& dae, const NewmarkRule& rule, const Options& options);

  /// At x = (q, v, friction states, work) with its derivative and multipliers.
  void start(double t, ConstVector x, ConstVector xdot, ConstVector lambda);
  /// v'' at the start, from which a follows.
  void set_jerk(ConstVector jerk) { jerk_ = jerk, jerk_is_known_ = true; }

  Outcome attempt(double h);
  /// Of all attempts.
  long iterations() const { return iterations_; }
  // --- after an attempt that converged, in this order ---
  /// Puts velocities on Phi_dot = 0, by the least change in the metric of the Newton matrix.
  bool project_velocities();
  /// Puts v' on P v' = gamma in the same way; one more evaluation.
  bool project_accelerations();
  /// Removes from the multipliers what loads nothing (redundant rows).
  void settle_multipliers();
  /// The state at the end and its derivative.
  void finish();
  /// The largest of the errors of positions, velocities and friction states in this step, in units of the tolerance.
  double error(double tolerance);
  /// Makes the end the start of the next step.
  void accept();

  double start_time() const { return t0_; }
  const Vector& start_state() const { return x0_; }
  const Vector& start_derivative() const { return xdot0_; }
  Vector& end_state() { return x1_; }
  const Vector& end_derivative() const { return xdot1_; }
  const Vector& scales() const { return newton_.scales(); }
  std::string cause(Outcome outcome) const;

 private:
  void predict();
  void set_kinematics();
  bool evaluate(const Vector& q, const Vector& v, Vector& r);
  Outcome iterate();
  long iterations_ = 0;
  void set_right_sides();
  void take_increments();
  double position_error() const;
  double velocity_change(const Vector& displacement) const;

  DaeEquations& dae_;
  NewmarkRule rule_;
  Options options_;
  int np_, n_, rows_, ns_;
  DaeNewton newton_;
  DaeNewton::Residual residual_;
  double exact_;  // what is asked of constraints

  // start of the step
  double t0_ = 0, h_ = 0, last_h_ = 0;
  Vector q0_, v0_, a0_, vdot0_, s0_, sdot0_, lambda0_, jerk_;
  Vector earlier_vdot_, earlier_sdot_;  // one step before
  bool jerk_is_known_ = false, has_earlier_ = false;
  // its end
  Vector a_start_;  // a0 for this length of the step
  Vector D_, q_, v_, a_, vdot_, s_, sdot_, lambda_, r_;
  Vector x0_, xdot0_, x1_, xdot1_;
  WorkHistory work_, work_end_;

  bool derivatives_are_due_ = true;
  double rate_ = 1, fresh_rate_ = 0;  // of convergence: the last one, and with derivatives of the step itself
  bool patterns_extended_ = false;
  Vector f_, g_, dx_, dy_, correction_, q_trial_, rates0_, rates1_, none_, one_;
};

}  // namespace bricard

// One interface for all integrators: they advance x' = f(t, x) step by step and interpolate within the last step.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bricard/method.h"
#include "motions/motion_equations.h"

namespace bricard {

class System;

struct IntegratorOptions {
  double tolerance = 1e-6;  // relative and absolute
  double step = 0;          // fixed-step: the step (required); adaptive: largest step, 0 for no limit
  double first_step = 0;    // adams, bdf: what is tried first, 0: their own estimate
  int runs = 1;             // in one state, component k of run l being number runs k + l; errors are judged run by run
  // Integrators of the constrained equations themselves:
  double spectral_radius = unset;  // at infinite frequency: 1 no damping, 0 most
  double penalty = 1e7;
  bool penalty_is_relative = true;
  int iterations = 20;
  std::string canonical_form = {};  // of ida: positions, velocities, index-3; another: accelerations
};

struct IntegratorCounts {
  long steps = 0;        // accepted
  long rejected = 0;     // error test or convergence failures
  long evaluations = 0;  // of the derivative, all of them, dense output included
  long restarts = 0;
  long newton_iterations = 0;  // of implicit ones
};

class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Starts (or restarts) at (t, x). The equations must outlive the integrator.
  virtual Status start(MotionEquations& equations, double t, ConstVector x) = 0;
  /// Takes one accepted step, never past t_end; after_step() has been applied when it returns.
  virtual Status step(double t_end) = 0;
  virtual double time() const = 0;        // end of the last step
  virtual ConstVector state() const = 0;  // there, after after_step()
  /// State at t within the last step. May evaluate the derivative.
  virtual Status interpolate(double t, VectorRef x) = 0;
  virtual IntegratorCounts counts() const = 0;
  /// Why step() failed, for the user: names the time, the step size, the cause.
  virtual std::string failure() const = 0;
};

struct IntegratorType {
  const char* name;
  const char* description;  // one line
  const char* source;       // citation
  int order;                // 0: variable
  bool fixed_step;
  bool implicit;
  std::unique_ptr<Integrator> (*create)(const IntegratorOptions& options) = nullptr;
  /// Integrators of the constrained equations themselves have this instead. Their state is FullMotion's, whose
  /// engine serves the start and the outputs; they satisfy the constraints without stabilisation.
  std::unique_ptr<Integrator> (*create_for)(System& system, const IntegratorOptions& options) = nullptr;
  bool judges_runs = false;  // takes IntegratorOptions::runs
  /// The largest c for which x' = -(c/h) x does not grow at steps of length h; 0: it depends on the order that the
  /// integrator chooses; infinity: there is none.
  double real_stability = 0;
};

/// All integrators, in the order of integrators.def.
const std::deque<IntegratorType>& integrator_types();
const IntegratorType* find_integrator_type(const std::string& name);

}  // namespace bricard

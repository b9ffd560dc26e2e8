#include "integrators/dae/dae_integrator.h"

#include <algorithm>
#include <cmath>

namespace bricard {

using sundials_support::smallest_step;

DaeIntegrator::DaeIntegrator(const char* name, System& system, const IntegratorOptions& options)
    : name_(name), system_(system), options_(options), dae_(system), projection_(system) {}

Status DaeIntegrator::start(MotionEquations& equations, double t, ConstVector x) {
  if (started_) ++counts_.restarts;
  started_ = false;
  failure_.clear();
  equations_.attach(equations);
  time_ = start_time_ = t;
  state_ = x;
  xdot_.setZero(equations.size());
  const int size = dae_.positions() + dae_.velocities() + dae_.states() + 1;
  MechanismMotion* const mechanism = equations.mechanism();
  if (!mechanism || equations.size() != size || equations.corrects_steps())
    return refuse("it needs a motion in all coordinates without stabilisation");
  if (x.size() != size || !x.allFinite() || !std::isfinite(t))
    return refuse("the initial state is not finite or not of the size of the equations");
  if (!(options_.tolerance > 0)) return refuse("the tolerance is not positive");
  const Status status = equations_.derivative(t, state_, xdot_);
  if (status != Status::ok) {
    failure_ = sundials_support::failure_sentence(name_, t, 0, equations_.cause(), "");
    return status;
  }
  const Status begun = begin(xdot_, mechanism->multipliers());
  started_ = begun == Status::ok;
  return begun;
}

Status DaeIntegrator::step(double t_end) {
  if (!started_) return failure_.empty() ? refuse("start() comes first") : Status::fatal;
  if (t_end - time_ <= smallest_step(time_)) {
    // Nothing to integrate, or nothing that could be told from rounding.
    time_ = std::max(time_, t_end);
    return Status::ok;
  }
  return advance(t_end);
}

bool DaeIntegrator::accept(double t, double t_end, Vector& x) {
  if (std::abs(t_end - t) <= smallest_step(t_end)) t = t_end;
  equations_.begin_attempt();
  if (equations_.after_step(t, x) == StepChange::failed) return false;
  start_time_ = time_;
  time_ = t;
  state_ = x;
  ++counts_.steps;
  return true;
}

bool DaeIntegrator::project(double t, VectorRef x) {
  return projection_.project(t, x.head(dae_.positions()), x.segment(dae_.positions(), dae_.velocities())) !=
         StepChange::failed;
}

Status DaeIntegrator::interpolate(double t, VectorRef x) {
  if (t == time_) {
    x = state_;
    return Status::ok;
  }
  if (!started_ || !(t >= start_time_ && t < time_) || !interpolate_within(t, x)) {
    failure_ = "interpolation outside the last step";
    return Status::failed;
  }
  if (!puts_outputs_on_constraints() || project(t, x)) return Status::ok;
  return fail(time_ - start_time_, projection_.failure(), "");
}

IntegratorCounts DaeIntegrator::counts() const {
  IntegratorCounts counts = counts_;
  counts.evaluations = equations_.evaluations() + dae_.evaluations();
  return counts;
}

Status DaeIntegrator::refuse(const std::string& reason) {
  failure_ = std::string(name_) + " cannot start: " + reason + ".";
  return Status::fatal;
}

Status DaeIntegrator::fail(double step, const std::string& cause, const std::string& advice) {
  failure_ = sundials_support::failure_sentence(name_, time_, step, cause, advice);
  return Status::failed;
}

}  // namespace bricard

#include "integrators/multistep/guarded_equations.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

namespace bricard {

namespace {

// One addition a component: zero times what is not finite is not a number, nor is a sum with it.
bool is_finite(const ConstVector& x) { return (0 * x.array()).sum() == 0; }

}  // namespace

void absolute_tolerances(const MotionEquations& equations, double tolerance, VectorRef absolute) {
  equations.error_scales(absolute);
  for (double& value : absolute)
    value = std::isfinite(value) ? std::min(tolerance * value, uncontrolled) : uncontrolled;
}

double smallest_step(double t) { return 1e-14 * std::max(std::abs(t), 1.0); }

std::string failure_sentence(const char* integrator, double t, double step, const std::string& cause,
                             const std::string& advice) {
  return fmt::format("{} stopped at t = {:.10g} with a step of {:.3g}: {}{}{}.", integrator, t, step, cause,
                     advice.empty() ? "" : "; try ", advice);
}

void GuardedEquations::attach(MotionEquations& equations) {
  equations_ = &equations;
  size_ = equations.size();
  begin_attempt();
}

Status GuardedEquations::derivative(double t, const ConstVector& x, VectorRef xdot) noexcept {
  // SUNDIALS' fixed-point iteration takes every failure for a recoverable one and would go on asking.
  if (fatal_) return Status::fatal;
  ++evaluations_;
  Status status = Status::fatal;
  try {
    status = equations_->derivative(t, x, xdot);
    if (status != Status::ok) record(Culprit::derivative, status == Status::fatal);
  } catch (const std::exception& exception) {
    record_exception(exception.what());
  } catch (...) {
    record_exception("an exception of unknown type");
  }
  if (status == Status::ok && !is_finite(xdot)) {
    record(Culprit::not_finite, false);
    status = Status::failed;
  }
  return status;
}

template <class Call>
StepChange GuardedEquations::guard_change(const VectorRef& x, const Call& call) noexcept {
  StepChange change = StepChange::failed;
  try {
    change = call();
    if (change == StepChange::failed) record(Culprit::correction, false);
  } catch (const std::exception& exception) {
    record_exception(exception.what());
  } catch (...) {
    record_exception("an exception of unknown type");
  }
  if (change != StepChange::failed && !is_finite(x)) {
    record(Culprit::correction, false);
    change = StepChange::failed;
  }
  return change;
}

StepChange GuardedEquations::correct_candidate(double t, const VectorRef& x) noexcept {
  return guard_change(x, [&] { return equations_->correct_candidate(t, x); });
}

StepChange GuardedEquations::after_step(double t, const VectorRef& x) noexcept {
  return guard_change(x, [&] { return equations_->after_step(t, x); });
}

void GuardedEquations::begin_attempt() {
  failed_ = fatal_ = false;
  culprit_ = Culprit::none;
}

void GuardedEquations::record(Culprit culprit, bool fatal) noexcept {
  failed_ = true;
  fatal_ = fatal_ || fatal;
  culprit_ = culprit;
}

void GuardedEquations::record_exception(const char* message) noexcept {
  record(Culprit::exception, true);
  try {
    exception_message_ = message;
  } catch (...) {
    exception_message_.clear();
  }
}

std::string GuardedEquations::cause() const {
  std::string own;
  switch (culprit_) {
    case Culprit::none: return {};
    case Culprit::derivative: own = "the equations of motion could not be evaluated"; break;
    case Culprit::not_finite: own = "the equations of motion gave a derivative that is not finite"; break;
    case Culprit::correction: own = "the state after the step could not be corrected"; break;
    case Culprit::exception: return "the equations of motion threw an exception: " + exception_message_;
  }
  const std::string detail = equations_->failure();
  return detail.empty() ? own : own + ": " + detail;
}

}  // namespace bricard

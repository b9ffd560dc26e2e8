#include "integrators/sundials_support.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include <fmt/format.h>

namespace bricard::sundials_support {

ContextOwner make_context() {
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  return ContextOwner(context);
}

VectorOwner make_vector(int size, SUNContext context) {
  VectorOwner vector(N_VNew_Serial(std::max(size, 1), context));
  if (vector) N_VConst(0, vector.get());
  return vector;
}

void fill_absolute_tolerances(const MotionEquations& equations, double tolerance, Vector& scales, N_Vector absolute) {
  N_VConst(tolerance, absolute);
  equations.error_scales(scales);
  for (int k = 0; k < scales.size(); ++k)
    N_VGetArrayPointer(absolute)[k] =
        std::isfinite(scales[k]) ? std::min(tolerance * scales[k], uncontrolled) : uncontrolled;
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
  for (Evaluation* evaluation : {&start_, &last_}) {
    evaluation->x.setZero(size_);
    evaluation->xdot.setZero(size_);
    evaluation->evaluated = evaluation->current = false;
  }
  begin_attempt();
}

Status GuardedEquations::derivative(double t, const ConstVector& x, VectorRef xdot) noexcept {
  // SUNDIALS' fixed-point iteration takes every failure for a recoverable one and would go on asking.
  if (fatal_) return Status::fatal;
  for (const Evaluation* known : {&last_, &start_})
    if (known->evaluated && known->current && known->is_at(t, x)) {
      xdot = known->xdot;
      return Status::ok;
    }
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
  if (status == Status::ok && !xdot.allFinite()) {
    record(Culprit::not_finite, false);
    status = Status::failed;
  }
  if (status != Status::ok) return status;
  last_.t = t;
  last_.x = x;
  last_.xdot = xdot;
  last_.evaluated = last_.current = true;
  if (!start_.evaluated && start_.is_at(t, x)) {
    start_.xdot = xdot;
    start_.evaluated = start_.current = true;
  }
  return Status::ok;
}

StepChange GuardedEquations::after_step(double t, const VectorRef& x) noexcept {
  StepChange change = StepChange::failed;
  try {
    change = equations_->after_step(t, x);
    if (change == StepChange::failed) record(Culprit::correction, false);
  } catch (const std::exception& exception) {
    record_exception(exception.what());
  } catch (...) {
    record_exception("an exception of unknown type");
  }
  if (change != StepChange::failed && !x.allFinite()) {
    record(Culprit::correction, false);
    change = StepChange::failed;
  }
  // The same numbers may now mean another state.
  if (change == StepChange::replaced) start_.current = last_.current = false;
  return change;
}

Status GuardedEquations::derivative_aside(double t, const ConstVector& x, VectorRef xdot) noexcept {
  std::swap(last_, aside_);
  last_.current = false;
  const Status status = derivative(t, x, xdot);
  std::swap(last_, aside_);
  return status;
}

void GuardedEquations::begin_step(double t, const ConstVector& x) {
  const bool known = last_.evaluated && last_.current && last_.is_at(t, x);
  start_.t = t;
  start_.x = x;
  start_.evaluated = start_.current = known;
  if (known) start_.xdot = last_.xdot;
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

}  // namespace bricard::sundials_support

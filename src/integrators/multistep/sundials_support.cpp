#include "integrators/multistep/sundials_support.h"

#include <algorithm>
#include <new>

namespace bricard::sundials_support {

ContextOwner make_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0 || context == nullptr) throw std::bad_alloc();
  return ContextOwner(context);
}

VectorOwner make_vector(int size, SUNContext context) {
  VectorOwner vector(N_VNew_Serial(std::max(size, 1), context));
  if (!vector) throw std::bad_alloc();
  N_VConst(0, vector.get());
  return vector;
}

void fill_absolute_tolerances(const MotionEquations& equations, double tolerance, Vector& scales, N_Vector absolute) {
  N_VConst(tolerance, absolute);
  absolute_tolerances(equations, tolerance, scales);
  view(absolute, static_cast<int>(scales.size())) = scales;
}

void RememberedEquations::attach(MotionEquations& equations) {
  GuardedEquations::attach(equations);
  x_.setZero(size());
  xdot_.setZero(size());
  known_ = false;
}

Status RememberedEquations::derivative(double t, const ConstVector& x, VectorRef xdot) noexcept {
  if (known_ && !fatal() && t_ == t && x_ == x) {
    xdot = xdot_;
    return Status::ok;
  }
  const Status status = GuardedEquations::derivative(t, x, xdot);
  if (status != Status::ok) return status;
  t_ = t;
  x_ = x;
  xdot_ = xdot;
  known_ = true;
  return Status::ok;
}

StepChange RememberedEquations::after_step(double t, const VectorRef& x) noexcept {
  const StepChange change = GuardedEquations::after_step(t, x);
  if (change == StepChange::replaced) known_ = false;  // the same numbers may now mean another state
  return change;
}

}  // namespace bricard::sundials_support

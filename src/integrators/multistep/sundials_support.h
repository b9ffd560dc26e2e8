// What the users of SUNDIALS share: owners of its objects, and the equations as its callbacks may see them.
//
// SUNDIALS 6: A. C. Hindmarsh et al., SUNDIALS: Suite of Nonlinear and Differential/Algebraic Equation Solvers,
// ACM Transactions on Mathematical Software 31 (2005) 363-396.
#pragma once

#include <memory>
#include <type_traits>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include "integrators/multistep/guarded_equations.h"

namespace bricard::sundials_support {

struct ContextDeleter {
  void operator()(SUNContext context) const { SUNContext_Free(&context); }
};
struct VectorDeleter {
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
};
using ContextOwner = std::unique_ptr<std::remove_pointer_t<SUNContext>, ContextDeleter>;
using VectorOwner = std::unique_ptr<std::remove_pointer_t<N_Vector>, VectorDeleter>;

ContextOwner make_context();
/// SUNDIALS would print; what it has to say reaches the user through failure().
inline void ignore_message(int, const char*, const char*, char*, void*) {}
/// A serial vector of zeros. Its length is at least one: the error norms of SUNDIALS divide by it, and a mechanism
/// without degrees of freedom has no state.
VectorOwner make_vector(int size, SUNContext context);

/// The first `size` components of a serial vector.
inline Eigen::Map<Vector> view(N_Vector vector, int size) { return {N_VGetArrayPointer(vector), size}; }

using bricard::failure_sentence;
using bricard::smallest_step;
using bricard::uncontrolled;

/// As bricard::absolute_tolerances(), which works in `scales`.
void fill_absolute_tolerances(const MotionEquations& equations, double tolerance, Vector& scales, N_Vector absolute);

/// Equations which SUNDIALS asks for the same derivative again: the one at the last point evaluated is kept and found
/// by exact comparison.
class RememberedEquations : public GuardedEquations {
 public:
  void attach(MotionEquations& equations);
  Status derivative(double t, const ConstVector& x, VectorRef xdot) noexcept;
  StepChange after_step(double t, const VectorRef& x) noexcept;

 private:
  double t_ = 0;
  Vector x_, xdot_;
  bool known_ = false;
};

}  // namespace bricard::sundials_support

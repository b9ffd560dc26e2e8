// What the two families of SUNDIALS integrators share: owners of its objects, and the equations as its callbacks may
// see them.
//
// SUNDIALS 6: A. C. Hindmarsh et al., SUNDIALS: Suite of Nonlinear and Differential/Algebraic Equation Solvers,
// ACM Transactions on Mathematical Software 31 (2005) 363-396; D. R. Reynolds et al., ARKODE: a flexible IVP solver
// infrastructure for one-step methods, ACM Transactions on Mathematical Software 49 (2023).
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>

#include "formulations/motion_equations.h"

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
/// A serial vector of zeros. Its length is at least one: the error norms of SUNDIALS divide by it, and a mechanism
/// without degrees of freedom has no state.
VectorOwner make_vector(int size, SUNContext context);

/// The first `size` components of a serial vector.
inline Eigen::Map<Vector> view(N_Vector vector, int size) { return {N_VGetArrayPointer(vector), size}; }

/// Absolute tolerances tolerance * scale_k; a component which is not controlled gets `uncontrolled`.
void fill_absolute_tolerances(const MotionEquations& equations, double tolerance, Vector& scales, N_Vector absolute);
/// Large enough to never matter, small enough that neither it nor the square of its inverse leaves the range of
/// numbers.
inline constexpr double uncontrolled = 1e50;

/// A shorter step than this moves the time by little more than its rounding error: the integration has stalled.
double smallest_step(double t);

/// One sentence for the user; without advice if that is empty.
std::string failure_sentence(const char* integrator, double t, double step, const std::string& cause,
                             const std::string& advice);

/// The equations as a C library may call them: no exception leaves, a derivative that is not finite has failed, every
/// evaluation is counted, and none is made twice: the derivatives at the start of the step and at the last point
/// evaluated are kept and found again by exact comparison. So dense output at a step's end and the first stage of the
/// next step share one evaluation.
class GuardedEquations {
 public:
  void attach(MotionEquations& equations);
  MotionEquations& equations() const { return *equations_; }
  int size() const { return size_; }

  Status derivative(double t, const ConstVector& x, VectorRef xdot) noexcept;
  /// The same for a point within the step: what is kept of the step's ends stays kept.
  Status derivative_aside(double t, const ConstVector& x, VectorRef xdot) noexcept;
  StepChange after_step(double t, const VectorRef& x) noexcept;

  /// Declares (t, x) the start of a step, the derivative of which is kept until the next one.
  void begin_step(double t, const ConstVector& x);
  bool start_is_evaluated() const { return start_.evaluated; }
  const Vector& start_state() const { return start_.x; }
  const Vector& start_derivative() const { return start_.xdot; }

  /// Forgets what failed, before a new attempt.
  void begin_attempt();
  bool failed() const { return failed_; }  // since begin_attempt(), recoverably or not
  bool fatal() const { return fatal_; }    // since begin_attempt()
  /// What failed since begin_attempt(), with the equations' own explanation.
  std::string cause() const;

  long evaluations() const { return evaluations_; }

 private:
  struct Evaluation {
    double t = 0;
    Vector x, xdot;
    bool evaluated = false;  // xdot belongs to (t, x)
    bool current = false;    // and the equations still mean the same by them
    bool is_at(double time, const ConstVector& state) const { return t == time && x == state; }
  };
  enum class Culprit { none, derivative, not_finite, correction, exception };

  void record(Culprit culprit, bool fatal) noexcept;
  void record_exception(const char* message) noexcept;

  MotionEquations* equations_ = nullptr;
  int size_ = 0;
  Evaluation start_, last_, aside_;
  long evaluations_ = 0;
  bool failed_ = false, fatal_ = false;
  Culprit culprit_ = Culprit::none;
  std::string exception_message_;
};

}  // namespace bricard::sundials_support

// The equations as an integrator may call them, and what else integrators of every kind share.
#pragma once

#include <string>

#include "motions/motion_equations.h"

namespace bricard {

/// Absolute tolerances tolerance * scale_k; a component which is not controlled gets `uncontrolled`.
void absolute_tolerances(const MotionEquations& equations, double tolerance, VectorRef absolute);
/// Large enough to never matter, small enough that neither it nor the square of its inverse leaves the range of
/// numbers.
inline constexpr double uncontrolled = 1e50;
/// Of a step at which an evaluation failed.
inline constexpr double retry_factor = 0.25;

/// A shorter step than this moves the time by little more than its rounding error: the integration has stalled.
double smallest_step(double t);

/// One sentence for the user; without advice if that is empty.
std::string failure_sentence(const char* integrator, double t, double step, const std::string& cause,
                             const std::string& advice);

/// No exception leaves, a derivative that is not finite has failed, and every evaluation is counted.
class GuardedEquations {
 public:
  void attach(MotionEquations& equations);
  MotionEquations& equations() const { return *equations_; }
  int size() const { return size_; }

  Status derivative(double t, const ConstVector& x, VectorRef xdot) noexcept;
  StepChange correct_candidate(double t, const VectorRef& x) noexcept;
  StepChange after_step(double t, const VectorRef& x) noexcept;

  /// Forgets what failed, before a new attempt.
  void begin_attempt();
  bool failed() const { return failed_; }  // since begin_attempt(), recoverably or not
  bool fatal() const { return fatal_; }    // since begin_attempt()
  /// What failed since begin_attempt(), with the equations' own explanation.
  std::string cause() const;

  long evaluations() const { return evaluations_; }

 private:
  enum class Culprit { none, derivative, not_finite, correction, exception };

  template <class Call>
  StepChange guard_change(const VectorRef& x, const Call& call) noexcept;
  void record(Culprit culprit, bool fatal) noexcept;
  void record_exception(const char* message) noexcept;

  MotionEquations* equations_ = nullptr;
  int size_ = 0;
  long evaluations_ = 0;
  bool failed_ = false, fatal_ = false;
  Culprit culprit_ = Culprit::none;
  std::string exception_message_;
};

}  // namespace bricard

// Explicit Runge-Kutta methods on ARKODE's ERKStep: X_i = x + h sum_j a_ij f(t + c_j h, X_j),  x1 = x + h sum_i b_i
// f_i, the error of a step estimated by h sum_i (b_i - d_i) f_i [Hairer-Norsett-Wanner, Solving ODEs I, II.4].
#pragma once

#include <memory>
#include <string>

#include <arkode/arkode_butcher_erk.h>

#include "integrators/integrator.h"
#include "integrators/sundials_support.h"

namespace bricard {

class ExplicitRungeKutta : public Integrator {
 public:
  struct Scheme {
    const char* name;
    ARKodeButcherTable (*create_table)();
    int order;
    bool fixed_step;
  };

  ExplicitRungeKutta(const Scheme& scheme, const IntegratorOptions& options);
  Status start(MotionEquations& equations, double t, ConstVector x) override;
  Status step(double t_end) override;
  double time() const override { return time_; }
  ConstVector state() const override { return state_; }
  Status interpolate(double t, VectorRef x) override;
  IntegratorCounts counts() const override;
  std::string failure() const override { return failure_; }

 private:
  struct MemoryDeleter {
    void operator()(void* memory) const;
  };
  enum class Attempt { accepted, retry, hopeless };

  static int derivative_callback(double t, N_Vector x, N_Vector xdot, void* self);
  static int after_step_callback(double t, N_Vector x, void* self);
  Attempt attempt_step(double t_end);
  Attempt after_failure(int flag, double t_end);
  bool set_options();
  /// Puts ARKODE at (t, x), to go on with that step size.
  void reset(double t, const Vector& x, double next_step);
  /// A step size for the start of the integration.
  Status choose_first_step(double t_end, double& first_step);
  double attempted_step() const;
  Status refuse(const char* reason);
  Status find_middle();
  Status fail(Status status, double step, const std::string& cause);

  Scheme scheme_;
  IntegratorOptions options_;
  sundials_support::ContextOwner context_;
  sundials_support::VectorOwner absolute_tolerances_, work_;
  std::unique_ptr<void, MemoryDeleter> memory_;
  sundials_support::GuardedEquations equations_;

  bool started_ = false;
  bool first_step_chosen_ = false;
  double time_ = 0;        // as the caller sees it: t_end exactly when a step ends there
  double start_time_ = 0;  // of the last step
  double inner_time_ = 0;  // as ARKODE sees it: may differ from time_ by a rounding error
  Vector state_, candidate_, scales_, end_derivative_, start_derivative_, trial_, middle_, middle_derivative_;
  bool middle_is_known_ = false;  // of the last step
  double candidate_time_ = 0;
  bool has_candidate_ = false;
  StepChange change_ = StepChange::none;
  IntegratorCounts counts_;
  std::string failure_;
};

}  // namespace bricard

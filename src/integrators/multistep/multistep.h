// Linear multistep methods of variable order and step on CVODE: sum_i alpha_i x_(n-i) = h sum_i beta_i f_(n-i).
// A. C. Hindmarsh et al., SUNDIALS, ACM Transactions on Mathematical Software 31 (2005) 363-396; G. D. Byrne,
// A. C. Hindmarsh, A polyalgorithm for the numerical solution of ordinary differential equations, ACM Transactions on
// Mathematical Software 1 (1975) 71-96; [Hairer-Norsett-Wanner, Solving ODEs I, III.5-7].
#pragma once

#include <memory>
#include <string>

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

#include "integrators/integrator.h"
#include "integrators/multistep/sundials_support.h"
#include "motions/implicit_operator.h"

namespace bricard {

class Multistep : public Integrator {
 public:
  enum class Family { adams, bdf };

  Multistep(const char* name, Family family, const IntegratorOptions& options);
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
  struct MatrixDeleter {
    void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  };
  struct LinearSolverDeleter {
    void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  };
  struct NonlinearSolverDeleter {
    void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
  };
  enum class Attempt { accepted, retry, hopeless };

  static int derivative_callback(double t, N_Vector x, N_Vector xdot, void* self);
  static int jacobian_callback(double t, N_Vector x, N_Vector xdot, SUNMatrix J, void* self, N_Vector shifted_xdot,
                               N_Vector, N_Vector);
  static int setup_callback(double t, N_Vector x, N_Vector xdot, booleantype derivatives_serve, booleantype* are_new,
                            double gamma, void* self);
  static int solve_callback(double t, N_Vector x, N_Vector xdot, N_Vector r, N_Vector dx, double gamma, double, int,
                            void* self);
  bool set_options();
  bool set_solvers();
  bool use_operator();
  Attempt attempt_step(double t_end);
  Attempt after_failure(int flag, double t_end);
  void correct_history();
  void restart(double first_step);
  void count_work();
  Status refuse(const char* reason);
  Status fail(Status status, double step, const std::string& cause);

  const char* name_;
  Family family_;
  IntegratorOptions options_;
  sundials_support::ContextOwner context_;
  sundials_support::VectorOwner absolute_tolerances_, work_, weights_;
  std::unique_ptr<std::remove_pointer_t<SUNMatrix>, MatrixDeleter> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, LinearSolverDeleter> linear_solver_;
  std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, NonlinearSolverDeleter> nonlinear_solver_;
  std::unique_ptr<void, MemoryDeleter> memory_;  // after the solvers, which it uses until it is freed
  sundials_support::RememberedEquations equations_;

  ImplicitOperator* operator_ = nullptr;  // of the equations, if it serves
  double factorized_gamma_ = 0;
  long linearizations_ = 0;

  bool started_ = false;
  bool restart_pending_ = false;  // put off to the next step, so that this one can still be interpolated
  double time_ = 0;               // as the caller sees it: t_end exactly when a step ends there
  double start_time_ = 0;         // of the last step
  double inner_time_ = 0;         // as CVODE sees it: may differ from time_ by a rounding error
  Vector state_, candidate_, scales_;
  long iterations_seen_ = 0;
  long rejections_seen_ = 0;  // CVODE's count, which starts anew with each restart
  IntegratorCounts counts_;
  std::string failure_;
};

}  // namespace bricard

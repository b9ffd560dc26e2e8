#include "integrators/dae/ida_canonical.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ida/ida.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "bricard/input_error.h"
#include "integrators/dae/dae_differences.h"
#include "integrators/dae/dae_integrator.h"
#include "integrators/dae/dae_work.h"
#include "integrators/dae/independent_rows.h"
#include "motions/momentum_rate.h"
#include "system/typical_inertia.h"

namespace bricard::integrators {

namespace {

using sundials_support::smallest_step;
using sundials_support::view;

const double canonical_increment = std::sqrt(std::numeric_limits<double>::epsilon());

class IdaCanonical : public DaeIntegrator {
 public:
  IdaCanonical(System& system, const IntegratorOptions& options)
      : DaeIntegrator("ida", system, options),
        context_(sundials_support::make_context()),
        n_(dae_.velocities()),
        ns_(dae_.states()),
        has_sigma_(options.canonical_form != "velocities" && options.canonical_form != "index-3"),
        has_velocities_(options.canonical_form == "velocities"),
        momentum_rate_(system),
        multipliers_(Vector::Zero(dae_.rows())),
        no_multipliers_(Vector::Zero(dae_.rows())),
        h_(n_),
        scales_(2 * n_ + ns_ + 1),
        x_(2 * n_ + ns_ + 1),
        xdot_(2 * n_ + ns_ + 1) {}

 protected:
  bool puts_outputs_on_constraints() const override { return false; }

  Status begin(ConstVector xdot, ConstVector lambda) override {
    try {
      require_linear_rows(system_, state_.head(n_), state_.segment(n_, n_), name_);
    } catch (const InputError&) {
      return refuse("a constraint is not linear in the velocities, as momenta need it; leave canonical_form at auto");
    }
    IndependentRows chosen = choose_independent_rows(dae_, time_, state_.head(n_), state_.segment(n_, n_),
                                                     state_.segment(2 * n_, ns_), lambda);
    rows_ = std::move(chosen.rows);
    multipliers_ = has_sigma_ ? no_multipliers_ : chosen.multipliers;
    work_.start(time_, xdot[xdot.size() - 1], state_[state_.size() - 1]);
    return initialize(xdot) ? Status::ok : refuse("IDA refused its options");
  }

  Status advance(double t_end) override {
    for (;;) {
      void* memory = memory_.get();
      dae_.forget();
      not_finite_ = false;
      IDASetMinStep(memory, smallest_step(time_));
      IDASetStopTime(memory, t_end);
      double reached = 0, next = 0;
      const int flag = IDASolve(memory, t_end, &reached, y_.get(), yp_.get(), IDA_ONE_STEP);
      count();
      std::string cause = "the step size shrank to nothing without meeting the tolerance";
      if (flag >= 0) {
        if (finish(reached) && accept(reached, t_end, x_)) {
          view(start_.get(), size_) = view(y_.get(), size_);
          view(start_rate_.get(), size_) = view(yp_.get(), size_);
          work_ = candidate_;
          return Status::ok;
        }
        if (const std::string reason = motion_failure(); !reason.empty()) cause += ": " + reason;
        next = retry_factor * (reached - time_);
      } else if (flag == IDA_CONV_FAIL || flag == IDA_LSETUP_FAIL || flag == IDA_LSOLVE_FAIL) {
        cause = "the step size shrank to nothing without the implicit equations converging";
      } else if (flag == IDA_TOO_MUCH_ACC) {
        cause = "the tolerance is below the rounding errors";
      }
      if (not_finite_) cause += " because " + dae_.failure();
      ++counts_.rejected;
      restart(next > smallest_step(time_) ? next : 0);
      if (next > smallest_step(time_)) continue;
      return fail(smallest_step(time_), cause, "a larger tolerance, or canonical form positions");
    }
  }

  bool interpolate_within(double t, VectorRef x) override {
    if (IDAGetDky(memory_.get(), t, 0, y_.get()) != IDA_SUCCESS) return false;
    if (IDAGetDky(memory_.get(), t, 1, yp_.get()) != IDA_SUCCESS) return false;
    unpack(work_.at(t), x);
    return true;
  }

 private:
  struct MemoryDeleter {
    void operator()(void* memory) const { IDAFree(&memory); }
  };
  struct MatrixDeleter {
    void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  };
  struct LinearSolverDeleter {
    void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  };
  /// (q, q', friction states, work) of y_ and yp_.
  void unpack(double work, VectorRef x) {
    const auto y = view(y_.get(), size_);
    x.head(n_) = y.head(n_);
    x.segment(n_, n_) = view(yp_.get(), size_).head(n_);
    x.segment(2 * n_, ns_) = y.segment(2 * n_, ns_);
    x[2 * n_ + ns_] = work;
  }

  bool finish(double t) {
    const int last = 2 * n_ + ns_;
    unpack(state_[last], x_);
    if (derivative(t, x_, xdot_) != Status::ok) return false;
    candidate_ = work_;
    candidate_.add(t, xdot_[last]);
    x_[last] = candidate_.at(t);
    return true;
  }

  /// Starts IDA at state_, with M v for p.
  bool initialize(ConstVector xdot) {
    memory_.reset();
    solver_.reset();
    matrix_.reset();
    first_multiplier_ = 2 * n_ + ns_;
    size_ = first_multiplier_ + static_cast<int>(rows_.size());
    for (auto* vector : {&y_, &yp_, &start_, &start_rate_, &tolerances_, &differential_})
      *vector = sundials_support::make_vector(size_, context_.get());
    for (Vector* vector : {&base_, &base_rate_, &trial_, &trial_rate_, &increments_}) vector->setZero(size_);
    jacobian_ = std::make_unique<DifferenceJacobian>(size_, size_);
    jacobian_->add_all();
    jacobian_->freeze();

    const auto q = state_.head(n_), v = state_.segment(n_, n_);
    auto y = view(y_.get(), size_), yp = view(yp_.get(), size_);
    dae_.evaluate(time_, q, v, state_.segment(2 * n_, ns_));
    y.head(n_) = q;
    y.segment(n_, n_).noalias() = dae_.values().M * v;
    y.segment(2 * n_, ns_) = state_.segment(2 * n_, ns_);
    for (std::size_t k = 0; k < rows_.size(); ++k) y[first_multiplier_ + static_cast<int>(k)] = multipliers_[rows_[k]];
    yp.head(n_) = v;
    find_rate(q, v);
    yp.segment(n_, n_) = h_;
    yp.segment(2 * n_, ns_) = xdot.segment(2 * n_, ns_);
    view(start_.get(), size_) = y;
    view(start_rate_.get(), size_) = yp;
    set_tolerances();

    memory_.reset(IDACreate(context_.get()));
    void* memory = memory_.get();
    bool ok = memory && IDAInit(memory, residual_callback, time_, y_.get(), yp_.get()) == IDA_SUCCESS;
    ok = ok && IDASetErrHandlerFn(memory, sundials_support::ignore_message, nullptr) == IDA_SUCCESS;
    ok = ok && IDASetUserData(memory, this) == IDA_SUCCESS;
    ok = ok && IDASVtolerances(memory, tolerance_, tolerances_.get()) == IDA_SUCCESS;
    ok = ok && IDASetId(memory, differential_.get()) == IDA_SUCCESS;
    ok = ok && IDASetSuppressAlg(memory, SUNTRUE) == IDA_SUCCESS;
    ok = ok && IDASetMaxNumSteps(memory, -1) == IDA_SUCCESS;
    // The smallest step ends a hopeless series of rejections, not their number.
    ok = ok && IDASetMaxErrTestFails(memory, 100) == IDA_SUCCESS;
    ok = ok && IDASetMaxConvFails(memory, 100) == IDA_SUCCESS;
    if (options_.step > 0) ok = ok && IDASetMaxStep(memory, options_.step) == IDA_SUCCESS;
    matrix_.reset(SUNDenseMatrix(size_, size_, context_.get()));
    solver_.reset(matrix_ ? SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()) : nullptr);
    error_tests_seen_ = solves_seen_ = iterations_seen_ = 0;
    return ok && solver_ && IDASetLinearSolver(memory, solver_.get(), matrix_.get()) == IDA_SUCCESS &&
           IDASetJacFn(memory, jacobian_callback) == IDA_SUCCESS;
  }

  void set_tolerances() {
    motion().error_scales(scales_);
    const Vector inertia = typical_inertia(system_);
    // The norms of SUNDIALS are means over all variables; the tolerance is meant for those which are controlled.
    tolerance_ = options_.tolerance * std::sqrt(static_cast<double>(first_multiplier_) / size_);
    N_VConst(sundials_support::uncontrolled, tolerances_.get());
    N_VConst(0, differential_.get());
    scales_.segment(n_, n_).array() *= inertia.array();
    view(tolerances_.get(), first_multiplier_) = tolerance_ * scales_.head(first_multiplier_);
    view(differential_.get(), first_multiplier_).setOnes();
  }

  // --- residual ---

  /// h_ = p' at the state of dae_, for multipliers_.
  void find_rate(ConstVector q, ConstVector v) {
    const Equations& eq = dae_.values();
    h_.setZero();
    dae_.coordinates().inertia_forces(h_);
    h_ = eq.Q - h_;
    momentum_rate_.add(eq.t, q, v, has_sigma_ ? multipliers_ : no_multipliers_, h_);
    if (!has_sigma_) h_.noalias() -= eq.P.transpose() * multipliers_;
  }

  static int residual_callback(double t, N_Vector y, N_Vector yp, N_Vector F, void* self) {
    auto& ida = *static_cast<IdaCanonical*>(self);
    return ida.residual(t, view(y, ida.size_), view(yp, ida.size_), view(F, ida.size_)) ? 0 : 1;
  }

  bool residual(double t, ConstVector y, ConstVector yp, VectorRef F) {
    if (!y.allFinite() || !yp.allFinite()) return false;
    const auto q = y.head(n_), v = yp.head(n_), s = y.segment(2 * n_, ns_);
    if (!dae_.evaluate(t, q, v, s)) {
      not_finite_ = true;
      return false;
    }
    const Equations& eq = dae_.values();
    for (std::size_t k = 0; k < rows_.size(); ++k) multipliers_[rows_[k]] = y[first_multiplier_ + static_cast<int>(k)];
    find_rate(q, v);
    F.head(n_).noalias() = eq.M * v;
    if (has_sigma_) F.head(n_).noalias() += eq.P.transpose() * multipliers_;
    F.head(n_) -= y.segment(n_, n_);
    F.segment(n_, n_) = yp.segment(n_, n_) - h_;
    dae_.state_rates(no_multipliers_, s, F.segment(2 * n_, ns_));
    F.segment(2 * n_, ns_) = yp.segment(2 * n_, ns_) - F.segment(2 * n_, ns_);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const bool by_rate = has_velocities_ || dae_.is_velocity_level(rows_[k]);
      F[first_multiplier_ + static_cast<int>(k)] = by_rate ? eq.Phi_dot[rows_[k]] : eq.Phi[rows_[k]];
    }
    return F.allFinite();
  }

  // --- Jacobian dF/dy + cj dF/dy', by differences ---

  static int jacobian_callback(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J, void* self,
                               N_Vector, N_Vector, N_Vector) {
    auto& ida = *static_cast<IdaCanonical*>(self);
    ida.base_ = view(y, ida.size_), ida.base_rate_ = view(yp, ida.size_);
    ida.set_increments();
    const auto shifted = [&](const Vector& displacement, Vector& F) {
      ida.trial_ = ida.base_ + displacement;
      ida.trial_rate_ = ida.base_rate_ + cj * displacement;
      return ida.residual(t, ida.trial_, ida.trial_rate_, F);
    };
    if (!ida.jacobian_->evaluate(shifted, ida.increments_)) return 1;
    const SparseColumns& values = ida.jacobian_->values();
    SUNMatZero(J);
    for (int column = 0; column < ida.size_; ++column)
      for (SparseColumns::InnerIterator entry(values, column); entry; ++entry)
        SM_ELEMENT_D(J, entry.row(), column) = entry.value();
    return 0;
  }

  void set_increments() {
    for (int k = 0; k < first_multiplier_; ++k)
      increments_[k] = canonical_increment * (scales_[k] + std::abs(base_[k]));
    const int m = static_cast<int>(rows_.size());
    const double load = m > 0 ? base_.tail(m).lpNorm<Eigen::Infinity>() : 0;
    increments_.tail(m).setConstant(canonical_increment * (load > 0 ? load : 1));
  }

  // --- restarts ---

  /// At the start of the step.
  void restart(double first_step) {
    ++counts_.restarts;
    IDAReInit(memory_.get(), time_, start_.get(), start_rate_.get());
    IDASetInitStep(memory_.get(), first_step);
    error_tests_seen_ = solves_seen_ = iterations_seen_ = 0;
  }

  void count() {
    long error_tests = 0, solves = 0, iterations = 0;
    IDAGetNumErrTestFails(memory_.get(), &error_tests);
    IDAGetNumStepSolveFails(memory_.get(), &solves);
    IDAGetNumNonlinSolvIters(memory_.get(), &iterations);
    counts_.rejected += error_tests - error_tests_seen_ + solves - solves_seen_;
    counts_.newton_iterations += iterations - iterations_seen_;
    error_tests_seen_ = error_tests, solves_seen_ = solves, iterations_seen_ = iterations;
  }

  sundials_support::ContextOwner context_;
  int n_, ns_;
  bool has_sigma_, has_velocities_;
  std::vector<int> rows_;  // that are integrated
  int first_multiplier_ = 0, size_ = 0;
  sundials_support::VectorOwner y_, yp_, start_, start_rate_, tolerances_, differential_;
  std::unique_ptr<std::remove_pointer_t<SUNMatrix>, MatrixDeleter> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, LinearSolverDeleter> solver_;
  std::unique_ptr<void, MemoryDeleter> memory_;  // after the solver, which it uses until it is freed
  std::unique_ptr<DifferenceJacobian> jacobian_;
  MomentumRate momentum_rate_;
  Vector multipliers_, no_multipliers_, h_, scales_, x_, xdot_;
  Vector base_, base_rate_, trial_, trial_rate_, increments_;
  WorkHistory work_, candidate_;
  double tolerance_ = 0;
  bool not_finite_ = false;
  long error_tests_seen_ = 0, solves_seen_ = 0, iterations_seen_ = 0;  // IDA's counts
};

}  // namespace

bool is_canonical_form_of_ida(const std::string& form) {
  return form == "positions" || form == "velocities" || form == "index-3";
}

std::unique_ptr<Integrator> create_ida_canonical(System& system, const IntegratorOptions& options) {
  return std::make_unique<IdaCanonical>(system, options);
}

}  // namespace bricard::integrators

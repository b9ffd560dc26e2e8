// IDA, backward differentiation of order 1 to 5, on the stabilised equations of index 2:
//   q' = N (v - P^T mu),   M v' + P^T lambda = Q,   0 = Phi_dot,   0 = Phi
// with mu only for rows that constrain positions. lambda and mu are not in the error test.
// C. Gear, B. Leimkuhler, G. Gupta, Automatic integration of Euler-Lagrange equations with constraints, Journal of
// Computational and Applied Mathematics 12-13 (1985) 77-90; A. Hindmarsh et al., SUNDIALS, ACM Transactions on
// Mathematical Software 31 (2005) 363-396.
// The Jacobian is exact (IdaJacobian) where Tangent is; else it consists of difference quotients, whose zeros are tried
// out at the start, one evaluation a variable.
// Of redundant rows an independent set is integrated, chosen at the start and anew where steps collapse. The
// constraints hold to the tolerance in IDA's own variables; states are reported after a projection onto them, which IDA
// does not see.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <ida/ida.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "integrators/dae/dae_differences.h"
#include "integrators/dae/dae_integrator.h"
#include "integrators/dae/dae_work.h"
#include "integrators/dae/ida_canonical.h"
#include "integrators/dae/ida_jacobian.h"
#include "integrators/dae/independent_rows.h"

namespace bricard::integrators {

namespace {

using sundials_support::smallest_step;
using sundials_support::view;

constexpr int largest_dense_motion = 60;  // so many velocity coordinates have dense matrices
constexpr double sharper = 1e-2;          // tolerance where positions alone are tested
const double increment = std::sqrt(std::numeric_limits<double>::epsilon());

struct MemoryDeleter {
  void operator()(void* memory) const { IDAFree(&memory); }
};
struct MatrixDeleter {
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
};
struct LinearSolverDeleter {
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
};

class Ida : public DaeIntegrator {
 public:
  Ida(System& system, const IntegratorOptions& options)
      : DaeIntegrator("ida", system, options),
        context_(sundials_support::make_context()),
        np_(dae_.positions()),
        n_(dae_.velocities()),
        ns_(dae_.states()),
        dense_(n_ <= largest_dense_motion),
        tangent_(system),
        lambda_(Vector::Zero(dae_.rows())),
        mu_(Vector::Zero(dae_.rows())),
        flow_(n_),
        scales_(np_ + n_ + ns_ + 1),
        x_(np_ + n_ + ns_ + 1),
        xdot_(np_ + n_ + ns_ + 1),
        conservative_(is_conservative(system)) {}

 protected:
  Status begin(ConstVector xdot, ConstVector lambda) override {
    if (!choose_rows(lambda)) {
      return refuse(
          "friction depends on the loads of joints, which are not unique because some constraints are redundant; "
          "use hht or alf3");
    }
    positions_only_ = false;
    failures_ = 0;
    work_.start(time_, xdot[xdot.size() - 1], state_[state_.size() - 1]);
    return initialize(xdot, 0) ? Status::ok : refuse("IDA refused its options");
  }

  Status advance(double t_end) override {
    bool chosen_anew = false;
    for (;;) {
      void* memory = memory_.get();
      dae_.forget();
      not_finite_ = false;
      IDASetMinStep(memory, smallest_step(time_));
      IDASetStopTime(memory, t_end);
      double reached = 0;
      const int flag = IDASolve(memory, t_end, &reached, y_.get(), yp_.get(), IDA_ONE_STEP);
      if (count_error_failures() && !positions_only_) test_positions_only();
      double next = 0;
      std::string cause;
      if (flag >= 0) {
        if (finish(reached) && accept(reached, t_end, x_)) {
          view(start_.get(), size_) = view(y_.get(), size_);
          view(start_rate_.get(), size_) = view(yp_.get(), size_);
          if (!conservative_) work_ = candidate_;
          return Status::ok;
        }
        cause = "the step size shrank to nothing because the state cannot be put on the constraints";
        if (const std::string reason = motion_failure(); !reason.empty()) cause += ": " + reason;
        next = retry_factor * (reached - time_);
      } else if (!chosen_anew) {
        // The choice of rows, or what is known of the matrix's zeros, may have gone bad: choose again, once.
        chosen_anew = true;
        double step = 0;
        IDAGetLastStep(memory, &step);
        if (restart_with_new_rows(1e-3 * std::min(step > 0 ? step : t_end - time_, t_end - time_))) continue;
        cause = cause_of(flag);
      } else {
        cause = cause_of(flag);
      }
      ++counts_.rejected;
      if (next > smallest_step(time_)) {
        restart(next);
        continue;
      }
      double step = smallest_step(time_);
      if (flag == IDA_TOO_MUCH_ACC) IDAGetCurrentStep(memory_.get(), &step);
      restart(0);
      return fail(step, cause, not_finite_ ? "" : "a larger tolerance or another integrator such as hht");
    }
  }

  bool interpolate_within(double t, VectorRef x) override {
    if (IDAGetDky(memory_.get(), t, 0, y_.get()) != IDA_SUCCESS) return false;
    unpack(view(y_.get(), size_), work_.at(t), x);
    return true;
  }

 private:
  /// Constraints that move with time do work as drives do.
  static bool is_conservative(const System& system) {
    const Model& model = system.model();
    if (!model.forces.empty() || !model.motions.empty() || !system.friction().empty()) return false;
    for (const Joint& joint : model.joints) {
      if (!joint.expressions.empty()) return false;
    }
    return true;
  }

  /// x_ on the constraints, with the work: IDA's own multipliers are too coarse for that, as nothing controls them.
  bool finish(double t) {
    const int last = np_ + n_ + ns_;
    unpack(view(y_.get(), size_), state_[last], x_);
    if (!project(t, x_)) return false;
    if (conservative_) return true;
    if (derivative(t, x_, xdot_) != Status::ok) return false;
    WorkHistory work = work_;
    work.add(t, xdot_[last]);
    x_[last] = work.at(t);
    candidate_ = work;
    return true;
  }

  // --- variables: q, v, friction states, lambda, mu ---

  void unpack(ConstVector y, double work, VectorRef x) const {
    x.head(np_ + n_ + ns_) = y.head(np_ + n_ + ns_);
    x[np_ + n_ + ns_] = work;
  }

  /// Independent rows at state_. False if that needs multipliers which are not unique.
  bool choose_rows(ConstVector lambda) {
    IndependentRows chosen = choose_independent_rows(dae_, time_, state_.head(np_), state_.segment(np_, n_),
                                                     state_.segment(np_ + n_, ns_), lambda);
    rows_ = std::move(chosen.rows);
    multipliers_ = std::move(chosen.multipliers);
    position_rows_.clear();
    for (int row : rows_) {
      if (!dae_.is_velocity_level(row)) position_rows_.push_back(row);
    }
    return !chosen.redundant || !system_.friction_depends_on_load();
  }

  /// Starts IDA at state_.
  bool initialize(ConstVector xdot, double first_step) {
    memory_.reset();
    solver_.reset();
    matrix_.reset();
    const int m = static_cast<int>(rows_.size()), mp = static_cast<int>(position_rows_.size());
    first_lambda_ = np_ + n_ + ns_, first_mu_ = first_lambda_ + m;
    size_ = first_mu_ + mp;
    for (auto* vector : {&y_, &yp_, &start_, &start_rate_, &tolerances_, &differential_})
      *vector = sundials_support::make_vector(size_, context_.get());
    for (Vector* vector : {&trial_, &trial_rate_}) vector->setZero(size_);
    increments_.setZero(size_);

    auto y = view(y_.get(), size_), yp = view(yp_.get(), size_);
    y.head(first_lambda_) = state_.head(first_lambda_);
    yp.head(first_lambda_) = xdot.head(first_lambda_);
    for (int k = 0; k < m; ++k) y[first_lambda_ + k] = multipliers_[rows_[k]];
    view(start_.get(), size_) = y;
    view(start_rate_.get(), size_) = yp;

    motion().error_scales(scales_);
    set_tolerances();

    memory_.reset(IDACreate(context_.get()));
    void* memory = memory_.get();
    bool ok = memory && IDAInit(memory, residual_callback, time_, y_.get(), yp_.get()) == IDA_SUCCESS;
    ok = ok && IDASetErrHandlerFn(memory, sundials_support::ignore_message, nullptr) == IDA_SUCCESS;
    ok = ok && IDASetUserData(memory, this) == IDA_SUCCESS;
    ok = ok && IDAWFtolerances(memory, weights_callback) == IDA_SUCCESS;
    ok = ok && IDASetId(memory, differential_.get()) == IDA_SUCCESS;
    ok = ok && IDASetSuppressAlg(memory, SUNTRUE) == IDA_SUCCESS;
    ok = ok && IDASetMaxNumSteps(memory, -1) == IDA_SUCCESS;
    // The smallest step ends a hopeless series of rejections, not their number.
    ok = ok && IDASetMaxErrTestFails(memory, 100) == IDA_SUCCESS;
    ok = ok && IDASetMaxConvFails(memory, 100) == IDA_SUCCESS;
    ok = ok && IDASetNonlinConvCoef(memory, 0.03) == IDA_SUCCESS;
    ok = ok && IDASetMaxNonlinIters(memory, 10) == IDA_SUCCESS;
    if (options_.step > 0) ok = ok && IDASetMaxStep(memory, options_.step) == IDA_SUCCESS;
    ok = ok && IDASetInitStep(memory, first_step) == IDA_SUCCESS;
    error_tests_seen_ = solves_seen_ = iterations_seen_ = 0;
    return ok && set_linear_solver();
  }

  const SparseColumns& jacobian_values() const {
    return exact_jacobian_ ? exact_jacobian_->values() : jacobian_->values();
  }

  bool set_linear_solver() {
    if (tangent_.exact()) {
      exact_jacobian_ =
          std::make_unique<IdaJacobian>(tangent_, dae_.values(), system_.model().planar(), rows_, position_rows_);
    } else {
      jacobian_ = std::make_unique<DifferenceJacobian>(size_, size_);
      if (dense_)
        jacobian_->add_all();
      else
        find_pattern();
      jacobian_->freeze();
    }
    if (dense_) {
      matrix_.reset(SUNDenseMatrix(size_, size_, context_.get()));
      solver_.reset(matrix_ ? SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()) : nullptr);
    } else {
      matrix_.reset(SUNSparseMatrix(size_, size_, jacobian_values().nonZeros(), CSC_MAT, context_.get()));
      solver_.reset(matrix_ ? SUNLinSol_KLU(y_.get(), matrix_.get(), context_.get()) : nullptr);
    }
    return solver_ && IDASetLinearSolver(memory_.get(), solver_.get(), matrix_.get()) == IDA_SUCCESS &&
           IDASetJacFn(memory_.get(), jacobian_callback) == IDA_SUCCESS;
  }

  /// At a state nearby and with everything pulling at everything, so that no zero by chance hides a coupling; and at
  /// the state itself.
  void find_pattern() {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const double size : {1e-3, 0.0}) {
      time_of_jacobian_ = time_, cj_ = 1;
      base_ = view(start_.get(), size_), base_rate_ = view(start_rate_.get(), size_);
      set_increments();
      for (int k = 0; k < size_ && size > 0; ++k) {
        base_[k] += size * increments_[k] / increment * uniform(generator);
        base_rate_[k] += uniform(generator);
      }
      if (!jacobian_->detect(shifted_residual(), increments_) && size == 0) jacobian_->add_all();
    }
    for (int k = 0; k < size_; ++k) jacobian_->add(k, k);
  }

  // --- residual ---

  static int residual_callback(double t, N_Vector y, N_Vector yp, N_Vector F, void* self) {
    auto& ida = *static_cast<Ida*>(self);
    return ida.residual(t, view(y, ida.size_), view(yp, ida.size_), view(F, ida.size_)) ? 0 : 1;
  }

  bool residual(double t, ConstVector y, ConstVector yp, VectorRef F) {
    if (!y.allFinite()) return false;
    const auto q = y.head(np_);
    const auto v = y.segment(np_, n_);
    const auto s = y.segment(np_ + n_, ns_);
    if (!dae_.evaluate(t, q, v, s)) {
      not_finite_ = true;
      return false;
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) lambda_[rows_[k]] = y[first_lambda_ + static_cast<int>(k)];
    for (std::size_t k = 0; k < position_rows_.size(); ++k) mu_[position_rows_[k]] = y[first_mu_ + static_cast<int>(k)];
    const Equations& eq = dae_.values();
    flow_ = v;
    flow_.noalias() -= eq.P.transpose() * mu_;
    dae_.coordinates().position_rate(q, flow_, F.head(np_));
    F.head(np_) = yp.head(np_) - F.head(np_);
    dae_.residual(yp.segment(np_, n_), lambda_, s, F.segment(np_, n_));
    dae_.state_rates(lambda_, s, F.segment(np_ + n_, ns_));
    F.segment(np_ + n_, ns_) = yp.segment(np_ + n_, ns_) - F.segment(np_ + n_, ns_);
    for (std::size_t k = 0; k < rows_.size(); ++k) F[first_lambda_ + static_cast<int>(k)] = eq.Phi_dot[rows_[k]];
    for (std::size_t k = 0; k < position_rows_.size(); ++k)
      F[first_mu_ + static_cast<int>(k)] = eq.Phi[position_rows_[k]];
    return F.allFinite();
  }

  // --- Jacobian dF/dy + cj dF/dy'; multipliers cost no evaluation, because DaeEquations knows the last instant ---

  static int jacobian_callback(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix J, void* self,
                               N_Vector work, N_Vector, N_Vector) {
    auto& ida = *static_cast<Ida*>(self);
    if (ida.exact_jacobian_) {
      // For the state of the system, the multipliers and v - P^T mu.
      const auto at = view(y, ida.size_), rate = view(yp, ida.size_);
      if (!ida.residual(t, at, rate, view(work, ida.size_))) return 1;
      const auto vdot = rate.segment(ida.np_, ida.n_);
      ida.tangent_.update(t, vdot, ida.lambda_);
      ida.tangent_.update_rows(t, vdot);
      ida.exact_jacobian_->update(ida.dae_.values(), at.head(ida.np_), ida.flow_, cj);
      ida.store(J);
      return 0;
    }
    ida.time_of_jacobian_ = t, ida.cj_ = cj;
    ida.base_ = view(y, ida.size_), ida.base_rate_ = view(yp, ida.size_);
    ida.set_increments();
    if (!ida.jacobian_->evaluate(ida.shifted_residual(), ida.increments_)) return 1;
    ida.store(J);
    return 0;
  }

  DifferenceJacobian::Function shifted_residual() {
    return [this](const Vector& displacement, Vector& F) {
      trial_ = base_, trial_rate_ = base_rate_;
      trial_ += displacement;
      trial_rate_ += cj_ * displacement;
      return residual(time_of_jacobian_, trial_, trial_rate_, F);
    };
  }

  void set_increments() {
    for (int k = 0; k < first_lambda_; ++k) increments_[k] = increment * (scales_[k] + std::abs(base_[k]));
    const int m = static_cast<int>(rows_.size());
    const double load = m > 0 ? base_.segment(first_lambda_, m).lpNorm<Eigen::Infinity>() : 0;
    increments_.segment(first_lambda_, m).setConstant(increment * (load > 0 ? load : 1));
    increments_.tail(size_ - first_mu_).setConstant(increment);
  }

  void store(SUNMatrix J) const {
    const SparseColumns& values = jacobian_values();
    SUNMatZero(J);
    if (dense_) {
      for (int column = 0; column < size_; ++column)
        for (SparseColumns::InnerIterator entry(values, column); entry; ++entry)
          SM_ELEMENT_D(J, entry.row(), column) = entry.value();
      return;
    }
    sunindextype* pointers = SUNSparseMatrix_IndexPointers(J);
    sunindextype* indices = SUNSparseMatrix_IndexValues(J);
    double* data = SUNSparseMatrix_Data(J);
    std::copy_n(values.outerIndexPtr(), size_ + 1, pointers);
    std::copy_n(values.innerIndexPtr(), values.nonZeros(), indices);
    std::copy_n(values.valuePtr(), values.nonZeros(), data);
  }

  // --- restarts ---

  /// At the start of the step.
  void restart(double first_step) {
    ++counts_.restarts;
    IDAReInit(memory_.get(), time_, start_.get(), start_rate_.get());
    IDASetInitStep(memory_.get(), first_step);
    error_tests_seen_ = solves_seen_ = iterations_seen_ = 0;
  }

  bool restart_with_new_rows(double first_step) {
    if (derivative(time_, state_, xdot_) != Status::ok) return false;
    const Vector lambda = motion().mechanism()->multipliers();
    ++counts_.restarts;
    return choose_rows(lambda) && initialize(xdot_, first_step);
  }

  /// True if nearly every step fails its error test first.
  bool count_error_failures() {
    long error_tests = 0, solves = 0;
    IDAGetNumErrTestFails(memory_.get(), &error_tests);
    IDAGetNumStepSolveFails(memory_.get(), &solves);
    failures_ = std::max(0.0, failures_ + (error_tests > error_tests_seen_ ? 1 : -0.5));
    counts_.rejected += error_tests - error_tests_seen_ + solves - solves_seen_;
    error_tests_seen_ = error_tests, solves_seen_ = solves;
    long iterations = 0;
    IDAGetNumNonlinSolvIters(memory_.get(), &iterations);
    counts_.newton_iterations += iterations - iterations_seen_;
    iterations_seen_ = iterations;
    return failures_ > 5;
  }

  // A spring as stiff as a constraint makes velocities of backward differentiation jump with every change of the step,
  // by its change times the acceleration: in first order no longer step passes the test, however smooth the motion.
  // Then positions alone are tested, more sharply [L. Petzold, P. Loetstedt, SIAM Journal on Scientific and Statistical
  // Computing 7 (1986) 720-733].
  void test_positions_only() {
    positions_only_ = true;
    set_tolerances();
    IDASetId(memory_.get(), differential_.get());
  }

  // Not IDA's own weights: their tolerances must not change on the way.
  static int weights_callback(N_Vector y, N_Vector weights, void* self) {
    const auto& ida = *static_cast<Ida*>(self);
    const auto absolute = view(ida.tolerances_.get(), ida.size_);
    view(weights, ida.size_) =
        (ida.tolerance_ * view(y, ida.size_).array().abs() + absolute.array()).inverse().matrix();
    return 0;
  }

  void set_tolerances() {
    // The norms of SUNDIALS are means over all variables; the tolerance is meant for those which are controlled.
    tolerance_ = options_.tolerance * std::sqrt(static_cast<double>(first_lambda_) / size_);
    if (positions_only_) tolerance_ = std::max(sharper * tolerance_, 1e-14);
    N_VConst(sundials_support::uncontrolled, tolerances_.get());
    N_VConst(0, differential_.get());
    for (int k = 0; k < first_lambda_; ++k) N_VGetArrayPointer(tolerances_.get())[k] = tolerance_ * scales_[k];
    auto tested = view(differential_.get(), first_lambda_);
    tested.setOnes();
    if (positions_only_) tested.segment(np_, n_).setZero();
  }

  std::string cause_of(int flag) const {
    std::string cause;
    switch (flag) {
      case IDA_ERR_FAIL: cause = "the step size shrank to nothing without meeting the tolerance"; break;
      case IDA_CONV_FAIL:
      case IDA_LSETUP_FAIL:
      case IDA_LSOLVE_FAIL: cause = "the step size shrank to nothing without the implicit equations converging"; break;
      case IDA_TOO_MUCH_ACC: cause = "the tolerance is below the rounding errors"; break;
      case IDA_REP_RES_ERR: cause = "the step size shrank to nothing"; break;
      case IDA_FIRST_RES_FAIL:
      case IDA_RES_FAIL: cause = "no step size helps"; break;
      default: cause = "IDA returned " + std::to_string(flag); break;
    }
    return not_finite_ ? cause + " because " + dae_.failure() : cause;
  }

  sundials_support::ContextOwner context_;
  int np_, n_, ns_;
  bool dense_;
  std::vector<int> rows_, position_rows_;  // that are integrated
  int first_lambda_ = 0, first_mu_ = 0, size_ = 0;
  sundials_support::VectorOwner y_, yp_, start_, start_rate_, tolerances_, differential_;
  std::unique_ptr<std::remove_pointer_t<SUNMatrix>, MatrixDeleter> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, LinearSolverDeleter> solver_;
  std::unique_ptr<void, MemoryDeleter> memory_;  // after the solver, which it uses until it is freed
  Tangent tangent_;
  std::unique_ptr<IdaJacobian> exact_jacobian_;  // one of the two
  std::unique_ptr<DifferenceJacobian> jacobian_;
  double time_of_jacobian_ = 0, cj_ = 0;
  Vector base_, base_rate_, trial_, trial_rate_, increments_;
  Vector lambda_, mu_, multipliers_, flow_, scales_, x_;
  Vector xdot_;
  bool conservative_;  // nothing does work that has no potential
  WorkHistory work_, candidate_;
  bool not_finite_ = false;
  double tolerance_ = 0;
  bool positions_only_ = false;  // are in the error test
  double failures_ = 0;          // rises with each step that failed first, falls with each other
  long error_tests_seen_ = 0, solves_seen_ = 0,
       iterations_seen_ = 0;  // IDA's counts, which start anew with each restart
};

}  // namespace

IntegratorType ida() {
  return {.name = "ida",
          .description =
              "backward differentiation of variable order (1 to 5) and step on the stabilised index-2 "
              "equations (IDA); stiff motion, tight tolerances",
          .source = "Gear, Leimkuhler, Gupta 1985; Hindmarsh et al. 2005 (IDA)",
          .order = 0,
          .fixed_step = false,
          .implicit = true,
          .create_for = [](System& system, const IntegratorOptions& options) -> std::unique_ptr<Integrator> {
            if (is_canonical_form_of_ida(options.canonical_form)) return create_ida_canonical(system, options);
            return std::make_unique<Ida>(system, options);
          }};
}

}  // namespace bricard::integrators

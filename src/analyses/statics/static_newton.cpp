#include "analyses/statics/static_newton.h"

#include <kinsol/kinsol.h>
#include <kinsol/kinsol_ls.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "integrators/dae/dae_matrix.h"
#include "integrators/multistep/sundials_support.h"
#include "linear/minimum_norm.h"

namespace bricard {
namespace {

using sundials_support::view;

constexpr double quotient_rank_threshold = 1e-9;  // above the errors of difference quotients
constexpr int always_rank_revealing = 150;

struct MemoryDeleter {
  void operator()(void* memory) const { KINFree(&memory); }
};
struct MatrixDeleter {
  void operator()(SUNMatrix matrix) const { SUNMatFreeEmpty(matrix); }
};
struct LinearSolverDeleter {
  void operator()(SUNLinearSolver solver) const { SUNLinSolFreeEmpty(solver); }
};

class StaticNewton {
 public:
  StaticNewton(StaticEquations& equations, const Vector& q, const Vector& mu)
      : equations_(equations),
        n_(equations.displacements()),
        m_(equations.rows()),
        size_(n_ + m_),
        base_(q),
        q_(q),
        base_u_(Vector::Zero(n_)),
        u_(n_),
        mu_(mu),
        context_(sundials_support::make_context()),
        y_(sundials_support::make_vector(size_, context_.get())),
        variable_weights_(sundials_support::make_vector(size_, context_.get())),
        equation_weights_(sundials_support::make_vector(size_, context_.get())),
        matrix_(SUNMatNewEmpty(context_.get())),
        solver_(SUNLinSolNewEmpty(context_.get())),
        memory_(KINCreate(context_.get())) {
    view(y_.get(), size_).tail(m_) = mu;
    N_VConst(1, equation_weights_.get());
    N_VConst(1, variable_weights_.get());
    // Multipliers follow: they are not to shorten steps.
    view(variable_weights_.get(), size_).tail(m_).setConstant(1e-10);
    matrix_->content = this;
    matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    matrix_->ops->zero = [](SUNMatrix) { return 0; };
    solver_->content = this;
    solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    solver_->ops->setup = [](SUNLinearSolver solver, SUNMatrix) {
      return guarded(solver->content, &StaticNewton::factorize);
    };
    solver_->ops->solve = [](SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
      return guarded(solver->content, [x, b](StaticNewton& self) { return self.step(x, b); });
    };
  }

  bool run(double tolerance, long& iterations) {
    void* memory = memory_.get();
    bool ok = KINInit(memory, residual_callback, y_.get()) == KIN_SUCCESS;
    ok = ok && KINSetErrHandlerFn(memory, sundials_support::ignore_message, nullptr) == KIN_SUCCESS;
    ok = ok && KINSetUserData(memory, this) == KIN_SUCCESS;
    // The last step converges quadratically: what it gives beyond the tolerance is free.
    ok = ok && KINSetFuncNormTol(memory, std::max(1e-3 * tolerance, 1e-14)) == KIN_SUCCESS;
    ok = ok && KINSetScaledStepTol(memory, 1e-15) == KIN_SUCCESS;
    ok = ok && KINSetNumMaxIters(memory, 50) == KIN_SUCCESS;
    ok = ok && KINSetMaxSetupCalls(memory, 1) == KIN_SUCCESS;  // a new matrix, and a new base, for each step
    ok = ok && KINSetMaxNewtonStep(memory, 0.5 * std::sqrt(std::max(n_, 1))) == KIN_SUCCESS;
    ok = ok && KINSetLinearSolver(memory, solver_.get(), matrix_.get()) == KIN_SUCCESS;
    ok = ok && KINSetJacFn(memory, jacobian_callback) == KIN_SUCCESS;
    if (!ok) return false;
    const int flag = KINSol(memory, y_.get(), KIN_LINESEARCH, variable_weights_.get(), equation_weights_.get());
    KINGetNumNonlinSolvIters(memory, &iterations);
    place(y_.get());
    return flag >= 0;
  }

  const Vector& q() const { return q_; }
  const Vector& mu() const { return mu_; }

 private:
  /// No exception leaves for the library.
  template <class Call>
  static int guarded(void* self, Call call) {
    try {
      return std::invoke(call, *static_cast<StaticNewton*>(self)) ? 0 : 1;
    } catch (...) {
      return -1;
    }
  }

  void place(N_Vector y) {
    const auto values = view(y, size_);
    u_ = values.head(n_) - base_u_;
    mu_ = values.tail(m_);
    q_ = base_;
    equations_.advance(q_, u_);
  }

  static int residual_callback(N_Vector y, N_Vector F, void* self) {
    return guarded(self, [y, F](StaticNewton& newton) { return newton.residual(y, F); });
  }
  bool residual(N_Vector y, N_Vector F) {
    N_VConst(0, F);
    if (!view(y, size_).allFinite()) return false;
    place(y);
    if (!equations_.evaluate(q_)) return false;
    auto values = view(F, size_);
    values.head(n_) = -equations_.b();
    values.head(n_).noalias() += equations_.Ps().transpose() * mu_;
    values.tail(m_) = equations_.Phi();
    return values.allFinite();
  }

  static int jacobian_callback(N_Vector y, N_Vector, SUNMatrix, void* self, N_Vector, N_Vector) {
    return guarded(self, [y](StaticNewton& newton) { return newton.jacobian(y); });
  }
  bool jacobian(N_Vector y) {
    place(y);
    base_ = q_;
    base_u_ = view(y, size_).head(n_);
    if (!equations_.evaluate(base_)) return false;
    equations_.accept();
    return equations_.tangent(base_, mu_);
  }

  bool factorize() {
    build();
    rank_revealing_ = size_ <= always_rank_revealing;
    if (!rank_revealing_) {
      const DaeMatrix::Terms terms{no_mass_, 0, no_mass_, 0, equations_.H(), 1, equations_.Ps(), no_friction_, 0};
      if (!regular_) {
        no_mass_.resize(n_, n_);
        no_friction_.resize(n_, m_);
        regular_ = std::make_unique<DaeMatrix>(terms, false);
      }
      rank_revealing_ = !regular_->factorize(terms) || !regular_is_regular();
    }
    if (rank_revealing_) minimum_norm_.factorize(scaled_, quotient_rank_threshold);
    return true;
  }

  /// J, and J with rows and columns of largest entry one.
  void build() {
    entries_.clear();
    const SparseColumns& H = equations_.H();
    const SparseRows& Ps = equations_.Ps();
    for (int column = 0; column < n_; ++column) {
      for (SparseColumns::InnerIterator entry(H, column); entry; ++entry)
        entries_.emplace_back(static_cast<int>(entry.row()), column, entry.value());
    }
    for (int row = 0; row < m_; ++row) {
      for (SparseRows::InnerIterator entry(Ps, row); entry; ++entry) {
        entries_.emplace_back(n_ + row, static_cast<int>(entry.col()), entry.value());
        entries_.emplace_back(static_cast<int>(entry.col()), n_ + row, entry.value());
      }
    }
    J_.resize(size_, size_);
    J_.setFromTriplets(entries_.begin(), entries_.end());
    scaled_ = J_;
    balance_.setOnes(size_);
    for (int sweep = 0; sweep < 5; ++sweep) {
      Vector largest = Vector::Zero(size_);
      for (int row = 0; row < size_; ++row) {
        for (SparseRows::InnerIterator entry(scaled_, row); entry; ++entry)
          largest[row] = std::max(largest[row], std::abs(entry.value()));
      }
      for (double& value : largest) value = value > 0 ? 1 / std::sqrt(value) : 1;
      balance_ = balance_.cwiseProduct(largest);
      scaled_ = largest.asDiagonal() * scaled_ * largest.asDiagonal();
    }
  }

  /// A random load gives away a matrix that is singular but for rounding errors.
  bool regular_is_regular() {
    const Vector load = Vector::LinSpaced(size_, -1, 1.5);
    Vector x(size_);
    if (!regular_->solve(load.head(n_), load.tail(m_), x.head(n_), x.tail(m_))) return false;
    return (J_ * x - load).norm() <= 1e-6 * load.norm() && balance_.cwiseInverse().cwiseProduct(x).norm() < 1e9;
  }

  bool step(N_Vector x, N_Vector b) {
    auto solution = view(x, size_);
    auto right_side = view(b, size_);
    if (rank_revealing_) {
      minimum_norm_.solve(balance_.cwiseProduct(right_side), step_);
      solution = balance_.cwiseProduct(step_);
    } else if (!regular_->solve(right_side.head(n_), right_side.tail(m_), solution.head(n_), solution.tail(m_))) {
      return false;
    }
    // KINSOL takes the right-hand side for J x when it computes slopes.
    right_side = J_ * solution;
    return solution.allFinite();
  }

  StaticEquations& equations_;
  int n_, m_, size_;
  Vector base_, q_, base_u_, u_, mu_;
  SparseRows J_, scaled_;
  Vector balance_, step_;
  std::vector<Eigen::Triplet<double>> entries_;
  SparseColumns no_mass_, no_friction_;
  std::unique_ptr<DaeMatrix> regular_;
  MinimumNorm minimum_norm_;
  bool rank_revealing_ = true;
  sundials_support::ContextOwner context_;
  sundials_support::VectorOwner y_, variable_weights_, equation_weights_;
  std::unique_ptr<std::remove_pointer_t<SUNMatrix>, MatrixDeleter> matrix_;
  std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, LinearSolverDeleter> solver_;
  std::unique_ptr<void, MemoryDeleter> memory_;  // after the solver, which it uses until it is freed
};

double largest(const Vector& values) { return values.size() == 0 ? 0 : values.lpNorm<Eigen::Infinity>(); }

}  // namespace

StaticSolution solve_statics(StaticEquations& equations, const Vector& q, const Vector& mu, double tolerance) {
  StaticSolution solution;
  StaticNewton newton(equations, q, mu);
  long iterations = 0;
  newton.run(tolerance, iterations);
  solution.iterations = static_cast<int>(iterations);
  solution.q = newton.q();
  solution.mu = newton.mu();
  solution.residual = INFINITY;
  if (!solution.q.allFinite() || !solution.mu.allFinite() || !equations.tangent(solution.q, solution.mu))
    return solution;
  equations.accept();
  const Vector r = Vector(equations.Ps().transpose() * solution.mu) - equations.b();
  solution.residual = std::max(largest(r), largest(equations.Phi()));
  solution.ok = solution.residual <= std::max(tolerance, equations.noise(solution.mu));
  return solution;
}

}  // namespace bricard

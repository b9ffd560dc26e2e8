#include "formulations/null_space.h"

#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "formulations/frozen_null_space.h"

namespace bricard {

bool NullSpaceBasis::factorize(const Matrix& P, double threshold) {
  if (rows_ > 0 && columns_ > 0) return P.allFinite() && decompose(P, threshold);
  rank_ = 0;
  V_.setIdentity();
  return true;
}

void NullSpaceBasis::particular_solution(const Vector& gamma, Vector& s) {
  if (rank_ > 0) {
    solve(gamma, s);
  } else {
    s.setZero();
  }
}

void NullSpaceBasis::least_norm_multipliers(const Vector& force, Vector& lambda) {
  if (rank_ > 0) {
    solve_transposed(force, lambda);
  } else {
    lambda.setZero();
  }
}

namespace {

class NullSpaceFormulation : public Formulation {
 public:
  NullSpaceFormulation(const Equations& pattern, const FormulationOptions& options,
                       std::unique_ptr<NullSpaceBasis> basis)
      : eq_(pattern, options),
        n_(pattern.velocities()),
        reuse_(options.reuse),
        basis_(std::move(basis)),
        MV_(n_, n_),
        VtMV_(n_, n_),
        inertia_(n_),
        a_(n_),
        s_(n_),
        force_(n_),
        vdot_(n_),
        lambda_(pattern.rows()) {
    if (reuse_ > 0) frozen_ = std::make_unique<FrozenNullSpace>(pattern.rows(), n_);
  }

  Status factorize(const Equations& equations) override {
    failure_ = "";
    eq_.set_matrices(equations);
    if (!find_basis()) {
      failure_ = "the decomposition of the Jacobian did not converge";
      return Status::failed;
    }
    const auto V = current_->V();
    auto MV = MV_.leftCols(V.cols());
    auto VtMV = VtMV_.topLeftCorner(V.cols(), V.cols());
    multiply(eq_.M, V, MV);
    multiply_transposed(V, MV, VtMV);
    // Pivots are square roots of inertias: 1e-7 is round-off.
    if (inertia_.compute(VtMV, 1e-7)) return Status::ok;
    failure_ = "V^T M V is singular: a motion has no inertia";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    const auto V = current_->V();
    auto a = a_.head(V.cols());
    eq_.set_right_sides(Q, gamma);
    current_->particular_solution(eq_.gamma, s_);
    force_ = eq_.Q;
    force_.noalias() -= eq_.M * s_;
    a.noalias() = V.transpose() * force_;
    inertia_.solve(a);
    vdot_ = s_;
    vdot_.noalias() += V * a;
    force_ = eq_.Q;
    force_.noalias() -= eq_.M * vdot_;
    current_->least_norm_multipliers(force_, lambda_);
    if (eq_.take(vdot_, lambda_, vdot, lambda)) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return current_->rank(); }
  void show(Exhibit& exhibit) override {
    const auto V = current_->V();
    const auto f = V.cols();
    const char *source = "Pennestri-Valentini (17), (32)", *multipliers = "Pennestri-Valentini (64)";
    exhibit.add("V", "P V = 0", source, eq_.scale_v() * Matrix(V), Axis::velocities, Axis::freedoms);
    exhibit.add("s", "P s = gamma", source, eq_.scale_v() * s_, Axis::velocities);
    exhibit.add("V^T M V", "reduced mass matrix", source, VtMV_.topLeftCorner(f, f), Axis::freedoms, Axis::freedoms);
    exhibit.add("V^T (Q - M s)", "reduced right-hand side", source, V.transpose() * (eq_.Q - eq_.M * s_),
                Axis::freedoms);
    exhibit.add("a", "(V^T M V) a = V^T (Q - M s),  v' = V a + s", source, a_.head(f), Axis::freedoms);
    exhibit.add("Q - M v'", "= P^T lambda: the forces of the constraints", multipliers, eq_.unscale_v() * force_,
                Axis::velocities);
  }
  std::string report() const override {
    if (!frozen_) return {};
    return "null space computed " + std::to_string(computed_) + " times, reused " + std::to_string(reused_) + " times";
  }

 private:
  bool find_basis() {
    if (computed_ > 0 && frozen_ && frozen_->distance(eq_.P) <= reuse_ && frozen_->factorize(eq_.P, eq_.threshold)) {
      current_ = frozen_.get();
      ++reused_;
      return true;
    }
    current_ = basis_.get();
    if (!basis_->factorize(eq_.P, eq_.threshold)) return false;
    if (frozen_) frozen_->freeze(eq_.P, *basis_);
    ++computed_;
    return true;
  }

  DenseEquations eq_;
  int n_;
  double reuse_;
  std::unique_ptr<NullSpaceBasis> basis_;
  std::unique_ptr<FrozenNullSpace> frozen_;  // only for reuse > 0
  NullSpaceBasis* current_ = basis_.get();
  Matrix MV_, VtMV_;
  Cholesky inertia_;
  Vector a_, s_, force_, vdot_, lambda_;
  long computed_ = 0, reused_ = 0;
  const char* failure_ = "";
};

}  // namespace

std::unique_ptr<Formulation> null_space_formulation(const Equations& pattern, const FormulationOptions& options,
                                                    std::unique_ptr<NullSpaceBasis> basis) {
  return std::make_unique<NullSpaceFormulation>(pattern, options, std::move(basis));
}

}  // namespace bricard

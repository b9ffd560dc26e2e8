// A formulation: [M P^T; P 0] [v'; lambda] = [Q; gamma] by a dense LU factorisation with partial pivoting.
#include <bricard/extend.h>
#include <formulations/dense_equations.h>

namespace {

using namespace bricard;

class DenseLu : public Formulation {
 public:
  DenseLu(const Equations& pattern, const FormulationOptions& options)
      : eq_(pattern, options),
        K_(Matrix::Zero(pattern.velocities() + pattern.rows(), pattern.velocities() + pattern.rows())),
        lu_(K_.rows()),
        right_(K_.rows()),
        solution_(K_.rows()),
        wdot_(pattern.velocities()),
        mu_(pattern.rows()) {}

  Status factorize(const Equations& equations) override {
    eq_.set_matrices(equations);
    const int n = eq_.velocities(), m = eq_.rows();
    K_.topLeftCorner(n, n) = eq_.M;
    K_.bottomLeftCorner(m, n) = eq_.P;
    K_.topRightCorner(n, m) = eq_.P.transpose();
    lu_.compute(K_);
    const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
    is_regular_ = pivots.minCoeff() > 1e-10 * pivots.maxCoeff();
    return is_regular_ ? Status::ok : Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    eq_.set_right_sides(Q, gamma);
    right_ << eq_.Q, eq_.gamma;
    solution_ = lu_.solve(right_);
    wdot_ = solution_.head(eq_.velocities());
    mu_ = solution_.tail(eq_.rows());
    return eq_.take(wdot_, mu_, vdot, lambda) ? Status::ok : Status::failed;
  }

  const char* failure() const override { return is_regular_ ? "" : "the matrix of the whole system is singular"; }

 private:
  DenseEquations eq_;
  Matrix K_;
  Eigen::PartialPivLU<Matrix> lu_;
  Vector right_, solution_, wdot_, mu_;
  bool is_regular_ = true;
};

FormulationType dense_lu() {
  return {.name = "dense-lu",
          .description = "Lagrange multipliers by a dense LU factorisation of the whole matrix",
          .source = "textbooks",
          .traits = {.singular_mass = true, .unique_multipliers = true, .cost = "cubic (dense)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<DenseLu>(pattern, options);
          }};
}

[[maybe_unused]] const bool registered = (register_formulation(dense_lu()), true);

}  // namespace

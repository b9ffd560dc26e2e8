// `lagrange-pseudoinverse`: [v'; lambda] = [M P^T; P 0]+ [Q; gamma]; redundant rows get least-norm multipliers.
//                                                                                                     [Pekal-Fraczek (11)]
// The matrix is made dimensionless first, D K D with D = diag(1/sqrt(typical inertia), one constant for all rows): the
// accelerations are unique and the least-norm multipliers the same, but the rank no longer depends on units.
#include <algorithm>
#include <cmath>

#include "formulations/formulation.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::formulations {
namespace {

class LagrangePseudoinverse : public Formulation {
 public:
  LagrangePseudoinverse(const Equations& pattern, const FormulationOptions& options)
      : n_(pattern.velocities()),
        m_(pattern.rows()),
        K_(n_ + m_, n_ + m_),
        right_(n_ + m_),
        solution_(n_ + m_),
        scale_(n_ + m_),
        threshold_(options.threshold),
        pseudoinverse_(find_pseudoinverse_type(options.pseudoinverse)->create(n_ + m_, n_ + m_)) {
    scale_.head(n_) = options.typical_inertia.cwiseSqrt().cwiseInverse();
    scale_.tail(m_).setConstant(n_ > 0 ? std::sqrt(options.typical_inertia.minCoeff()) : 1);
  }

  Status factorize(const Equations& eq) override {
    K_.setZero();
    for (int column = 0; column < n_; ++column) {
      for (SparseColumns::InnerIterator entry(eq.M, column); entry; ++entry) K_(entry.row(), column) = entry.value();
    }
    for (int row = 0; row < m_; ++row) {
      for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry) {
        K_(n_ + row, entry.col()) = entry.value();
        K_(entry.col(), n_ + row) = entry.value();
      }
    }
    for (int column = 0; column < n_ + m_; ++column) K_.col(column).array() *= scale_.array() * scale_[column];
    // Off the constraints, redundant rows are independent by about the drift: the threshold must lie above it.
    const double drift = m_ > 0 ? eq.Phi.norm() : 0;
    return pseudoinverse_->factorize(K_, std::max(threshold_, std::min(3 * drift, 1e-3))) ? Status::ok : Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    right_.head(n_) = Q;
    right_.tail(m_) = gamma;
    right_.array() *= scale_.array();
    pseudoinverse_->apply(right_, solution_);
    solution_.array() *= scale_.array();
    vdot = solution_.head(n_);
    lambda = solution_.tail(m_);
    return solution_.allFinite() ? Status::ok : Status::failed;
  }

  const char* failure() const override { return "the pseudoinverse of [M P^T; P 0] did not converge"; }

 private:
  int n_, m_;
  Matrix K_;
  Vector right_, solution_, scale_;
  double threshold_;
  std::unique_ptr<Pseudoinverse> pseudoinverse_;
};

}  // namespace

FormulationType lagrange_pseudoinverse() {
  return {.name = "lagrange-pseudoinverse",
          .description = "Lagrange multipliers by the pseudoinverse of the whole matrix; takes redundant rows",
          .source = "Pekal-Fraczek (11)",
          .traits = {.redundant_rows = true, .singular_mass = true, .unique_multipliers = false, .cost = "cubic (dense)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<LagrangePseudoinverse>(pattern, options);
          }};
}

}  // namespace bricard::formulations

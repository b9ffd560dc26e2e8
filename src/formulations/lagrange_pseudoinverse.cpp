// `lagrange-pseudoinverse`: [v'; lambda] = [M P^T; P 0]+ [Q; gamma]; redundant rows get least-norm multipliers.
//                                                                                                  [Pekal-Fraczek (11)]
#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::formulations {
namespace {

class LagrangePseudoinverse : public Formulation {
 public:
  LagrangePseudoinverse(const Equations& pattern, const FormulationOptions& options)
      : eq_(pattern, options),
        n_(pattern.velocities()),
        m_(pattern.rows()),
        K_(Matrix::Zero(n_ + m_, n_ + m_)),
        right_(n_ + m_),
        solution_(n_ + m_),
        vdot_(n_),
        lambda_(m_),
        pseudoinverse_(create_pseudoinverse(options, n_ + m_, n_ + m_)) {}

  Status factorize(const Equations& equations) override {
    eq_.set_matrices(equations);
    K_.topLeftCorner(n_, n_) = eq_.M;
    K_.bottomLeftCorner(m_, n_) = eq_.P;
    K_.topRightCorner(n_, m_) = eq_.P.transpose();
    return pseudoinverse_->factorize(K_, eq_.rank_threshold()) ? Status::ok : Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    eq_.set_right_sides(Q, gamma);
    right_.head(n_) = eq_.Q;
    right_.tail(m_) = eq_.gamma;
    pseudoinverse_->apply(right_, solution_);
    vdot_ = solution_.head(n_);
    lambda_ = solution_.tail(m_);
    return eq_.take(vdot_, lambda_, vdot, lambda) ? Status::ok : Status::failed;
  }

  void show(Exhibit& exhibit) override {
    const char* source = "Pekal-Fraczek (11)";
    // [D 0; 0 c] brings [w'; mu] to [v'; lambda], and the dimensionless right-hand sides from the given ones.
    Vector scale(n_ + m_);
    scale << eq_.scale_v().diagonal(), Vector::Constant(m_, eq_.c());
    const Matrix K = scale.cwiseInverse().asDiagonal() * K_ * scale.cwiseInverse().asDiagonal(),
                 plus = scale.asDiagonal() * dense(*pseudoinverse_, n_ + m_, n_ + m_) * scale.asDiagonal();
    exhibit.add("K", "[M P^T; P 0]", source, K, Axis::velocities_and_rows, Axis::velocities_and_rows);
    exhibit.add("K+", "its pseudoinverse in dimensionless unknowns", source, plus, Axis::velocities_and_rows,
                Axis::velocities_and_rows);
    exhibit.add("[Q; gamma]", "[v'; lambda] = K+ [Q; gamma]", source, scale.cwiseInverse().asDiagonal() * right_,
                Axis::velocities_and_rows);
  }

  const char* failure() const override { return "the pseudoinverse of [M P^T; P 0] was not found"; }

 private:
  DenseEquations eq_;
  int n_, m_;
  Matrix K_;
  Vector right_, solution_, vdot_, lambda_;
  std::unique_ptr<Pseudoinverse> pseudoinverse_;
};

}  // namespace

FormulationType lagrange_pseudoinverse() {
  return {.name = "lagrange-pseudoinverse",
          .description = "Lagrange multipliers by the pseudoinverse of the whole matrix; takes redundant rows",
          .source = "Pekal-Fraczek (11)",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .unique_multipliers = false,
                     .pseudoinverse = true,
                     .cost = "cubic (dense)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<LagrangePseudoinverse>(pattern, options);
          }};
}

}  // namespace bricard::formulations

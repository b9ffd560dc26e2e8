// `least-squares-2`: block pseudoinverse of [M P^T; P 0] that does without M^-1.                   [Pekal-Fraczek (34)]
//   E = I - P+ P,  R = M P+,  Z = (E M E)+;   v' = Z Q + (P+ - Z R) gamma,   lambda = (P+^T - R^T Z) (Q - R gamma)
// written with f = Q - R gamma:  v' = P+ gamma + Z f,   lambda = P+^T (f - M Z f).
// E M E has as many eigenvalues that are not zero as there are motions, unless one of these has no inertia. Its zeros
// are zeros up to the rounding of M, whatever the drift, so their threshold need not be above it. E = 0 if nothing can
// move.
#include "formulations/dense_algebra.h"
#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "linear/blas_threads.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::formulations {
namespace {

class LeastSquares2 : public Formulation {
 public:
  LeastSquares2(const Equations& pattern, const FormulationOptions& options)
      : eq_(pattern, options),
        n_(pattern.velocities()),
        E_(n_, n_),
        ME_(n_, n_),
        EME_(n_, n_),
        column_(pattern.rows()),
        column_of_E_(n_),
        s_(n_),
        f_(n_),
        Zf_(n_),
        vdot_(n_),
        lambda_(pattern.rows()),
        P_plus_(create_pseudoinverse(options, pattern.rows(), n_)),
        Z_(create_pseudoinverse(options, n_, n_)) {
    use_one_blas_thread();
  }

  Status factorize(const Equations& equations) override {
    failure_ = "";
    eq_.set_matrices(equations);
    if (!P_plus_->factorize(eq_.P, eq_.rank_threshold())) {
      failure_ = "the pseudoinverse of P was not found";
      return Status::failed;
    }
    for (int k = 0; k < n_; ++k) {
      column_ = eq_.P.col(k);
      P_plus_->apply(column_, column_of_E_);
      E_.col(k) = -column_of_E_;
      E_(k, k) += 1;
    }
    if (P_plus_->rank() == n_) E_.setZero();
    multiply(eq_.M, E_, ME_);
    multiply_transposed(E_, ME_, EME_);
    const double size = EME_.norm();
    if (!Z_->factorize(EME_, size > 0 ? 1e-13 * eq_.M.norm() / size : 0)) {
      failure_ = "the pseudoinverse of E M E was not found";
      return Status::failed;
    }
    if (Z_->rank() == n_ - P_plus_->rank()) return Status::ok;
    failure_ = "E M E has another rank than the motion has degrees of freedom: a motion has no inertia";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    eq_.set_right_sides(Q, gamma);
    P_plus_->apply(eq_.gamma, s_);
    f_ = eq_.Q;
    f_.noalias() -= eq_.M * s_;
    Z_->apply(f_, Zf_);
    vdot_ = s_ + Zf_;
    f_.noalias() -= eq_.M * Zf_;
    P_plus_->apply_transposed(f_, lambda_);
    if (eq_.take(vdot_, lambda_, vdot, lambda)) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return P_plus_->rank(); }
  void show(Exhibit& exhibit) override {
    const char* source = "Pekal-Fraczek (34)";
    exhibit.add("P+", "generalised inverse of P: least |M_t^1/2 v|, M_t the typical inertias", source,
                eq_.c() * (eq_.scale_v() * dense(*P_plus_, eq_.rows(), n_)), Axis::velocities, Axis::rows);
    exhibit.add("E", "I - P+ P: projector on admissible velocities", source, eq_.scale_v() * E_ * eq_.unscale_v(),
                Axis::velocities, Axis::velocities);
    exhibit.add("E^T M E", "the inertia that they see", source, eq_.unscale_v() * EME_ * eq_.unscale_v(),
                Axis::velocities, Axis::velocities);
    exhibit.add("Z", "(E^T M E)+", source, eq_.scale_v() * dense(*Z_, n_, n_) * eq_.scale_v(), Axis::velocities,
                Axis::velocities);
    exhibit.add("P+ gamma", "v' = P+ gamma + Z (Q - M P+ gamma)", source, eq_.scale_v() * s_, Axis::velocities);
    exhibit.add("Z (Q - M P+ gamma)", "", source, eq_.scale_v() * Zf_, Axis::velocities);
  }

 private:
  DenseEquations eq_;
  int n_;
  Matrix E_, ME_, EME_;
  Vector column_, column_of_E_, s_, f_, Zf_, vdot_, lambda_;
  std::unique_ptr<Pseudoinverse> P_plus_, Z_;
  const char* failure_ = "";
};

}  // namespace

FormulationType least_squares_2() {
  return {
      .name = "least-squares-2",
      .description = "least-squares block solution without M^-1: the pseudoinverses of P and of E M E, E = I - P+ P",
      .source = "deFalco-Pennestri-Vita; Pekal-Fraczek (34)",
      .traits = {.redundant_rows = true,
                 .singular_mass = true,
                 .unique_multipliers = false,
                 .pseudoinverse = true,
                 .cost = "cubic (dense)"},
      .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
        return std::make_unique<LeastSquares2>(pattern, options);
      }};
}

}  // namespace bricard::formulations

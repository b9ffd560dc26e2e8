// `udwadia-kalaba`: Gauss' principle of least constraint by one pseudoinverse.
//   W W^T = M^-1,  v'_f = M^-1 Q,  D = P W;   v' = v'_f + W D+ (gamma - P v'_f),   lambda = (D D^T)+ (P v'_f - gamma)
//                                 [Pennestri-Valentini (82)-(89), deFalco-Pennestri-Vita (29), Pekal-Fraczek (14)-(24)]
// W = L^-T from M = L L^T; a diagonal M gives the papers' M^-1/2. Pennestri-Valentini (84): lambda has the wrong sign.
// (D D^T)+ = (D+)^T D+, so that no product is formed, which would square the condition.
#include "formulations/dense_algebra.h"
#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::formulations {
namespace {

class UdwadiaKalaba : public Formulation {
 public:
  UdwadiaKalaba(const Equations& pattern, const FormulationOptions& options)
      : eq_(pattern, options),
        mass_(pattern.velocities()),
        D_(pattern.rows(), pattern.velocities()),
        D_transposed_(pattern.velocities(), pattern.rows()),
        v_free_(pattern.velocities()),
        vdot_(pattern.velocities()),
        correction_(pattern.velocities()),
        missing_(pattern.rows()),
        lambda_(pattern.rows()),
        D_plus_(create_pseudoinverse(options, pattern.rows(), pattern.velocities())) {}

  Status factorize(const Equations& equations) override {
    failure_ = "";
    eq_.set_matrices(equations);
    if (!mass_.compute(eq_.M, 1e-7)) {
      failure_ = "the mass matrix is singular";
      return Status::failed;
    }
    D_transposed_ = eq_.P.transpose();
    mass_.solve_lower(D_transposed_);
    D_ = D_transposed_.transpose();
    if (D_plus_->factorize(D_, eq_.rank_threshold())) return Status::ok;
    failure_ = "the pseudoinverse of P M^-1/2 was not found";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    eq_.set_right_sides(Q, gamma);
    v_free_ = eq_.Q;
    mass_.solve(v_free_);
    missing_ = eq_.gamma;
    missing_.noalias() -= eq_.P * v_free_;
    D_plus_->apply(missing_, correction_);
    D_plus_->apply_transposed(correction_, lambda_);
    lambda_ = -lambda_;
    mass_.solve_upper(correction_);
    vdot_ = v_free_ + correction_;
    if (eq_.take(vdot_, lambda_, vdot, lambda)) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return D_plus_->rank(); }
  void show(Exhibit& exhibit) override {
    const char* source = "deFalco-Pennestri-Vita (29), Pekal-Fraczek (14)-(24)";
    exhibit.add("v'_f", "M v'_f = Q: accelerations without constraints", source, eq_.scale_v() * v_free_,
                Axis::velocities);
    Matrix W = Matrix::Identity(eq_.velocities(), eq_.velocities());
    mass_.solve_upper(W);
    exhibit.add("W", "L^-T of M = L L^T: W W^T = M^-1", source, eq_.scale_v() * W, Axis::velocities, Axis::velocities);
    exhibit.add("D", "P W", source, D_ / eq_.c(), Axis::rows, Axis::velocities);
    exhibit.add("D+", "its pseudoinverse", source, eq_.c() * dense(*D_plus_, eq_.rows(), eq_.velocities()),
                Axis::velocities, Axis::rows);
    exhibit.add("gamma - P v'_f", "what the constraints lack", source, missing_ / eq_.c(), Axis::rows);
    exhibit.add("W D+ (gamma - P v'_f)", "v' = v'_f + this", source, eq_.scale_v() * correction_, Axis::velocities);
  }

 private:
  DenseEquations eq_;
  Cholesky mass_;
  Matrix D_, D_transposed_;
  Vector v_free_, vdot_, correction_, missing_, lambda_;
  std::unique_ptr<Pseudoinverse> D_plus_;
  const char* failure_ = "";
};

}  // namespace

FormulationType udwadia_kalaba() {
  return {
      .name = "udwadia-kalaba",
      .description = "Gauss' principle: the free accelerations corrected by the pseudoinverse of P M^-1/2",
      .source = "Udwadia, Kalaba 1992; Pennestri-Valentini (89); deFalco-Pennestri-Vita (29); Pekal-Fraczek (23)-(24)",
      .traits = {.redundant_rows = true,
                 .singular_mass = false,
                 .unique_multipliers = false,
                 .pseudoinverse = true,
                 .cost = "cubic (dense)"},
      .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
        return std::make_unique<UdwadiaKalaba>(pattern, options);
      }};
}

}  // namespace bricard::formulations

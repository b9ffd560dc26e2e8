// `least-squares-1`: block pseudoinverse of [M P^T; P 0] for a regular M.                          [Pekal-Fraczek (29)]
//   lambda = (P M^-1 P^T)+ (P M^-1 Q - gamma),   v' = M^-1 (Q - P^T lambda)
// P M^-1 P^T has the squares of the singular values of P M^-1/2, so its threshold is the square of the chosen one,
// which must not be below 1e-7 for that to be above rounding; a fixed one stays.
#include <algorithm>

#include "formulations/dense_algebra.h"
#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::formulations {
namespace {

class LeastSquares1 : public Formulation {
 public:
  LeastSquares1(const Equations& pattern, const FormulationOptions& options)
      : eq_(pattern, options),
        mass_(pattern.velocities()),
        M_inverse_Pt_(pattern.velocities(), pattern.rows()),
        PMPt_(pattern.rows(), pattern.rows()),
        vdot_(pattern.velocities()),
        excess_(pattern.rows()),
        lambda_(pattern.rows()),
        PMPt_plus_(create_pseudoinverse(options, pattern.rows(), pattern.rows())) {}

  Status factorize(const Equations& equations) override {
    failure_ = "";
    eq_.set_matrices(equations);
    if (!mass_.compute(eq_.M, 1e-7)) {
      failure_ = "the mass matrix is singular";
      return Status::failed;
    }
    M_inverse_Pt_ = eq_.P.transpose();
    mass_.solve(M_inverse_Pt_);
    multiply(eq_.P, M_inverse_Pt_, PMPt_);
    RankThreshold threshold = eq_.rank_threshold();
    if (!eq_.threshold_is_fixed()) threshold.value = std::max(threshold.value, smallest_squared_threshold);
    threshold.value *= threshold.value;
    if (PMPt_plus_->factorize(PMPt_, threshold)) return Status::ok;
    failure_ = "the pseudoinverse of P M^-1 P^T was not found";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    eq_.set_right_sides(Q, gamma);
    excess_.noalias() = M_inverse_Pt_.transpose() * eq_.Q;
    excess_ -= eq_.gamma;
    PMPt_plus_->apply(excess_, lambda_);
    vdot_ = eq_.Q;
    vdot_.noalias() -= eq_.P.transpose() * lambda_;
    mass_.solve(vdot_);
    if (eq_.take(vdot_, lambda_, vdot, lambda)) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return PMPt_plus_->rank(); }
  void show(Exhibit& exhibit) override {
    const double c2 = eq_.c() * eq_.c();
    const int m = eq_.rows();
    exhibit.add("P M^-1 P^T", "regular if P has full rank", "Pekal-Fraczek (29)", PMPt_ / c2, Axis::rows, Axis::rows);
    exhibit.add("(P M^-1 P^T)+", "its pseudoinverse", "Pekal-Fraczek (29)", c2 * dense(*PMPt_plus_, m, m), Axis::rows,
                Axis::rows);
    exhibit.add("P M^-1 Q - gamma", "lambda = (P M^-1 P^T)+ (P M^-1 Q - gamma)", "Pekal-Fraczek (29)",
                excess_ / eq_.c(), Axis::rows);
  }

 private:
  DenseEquations eq_;
  Cholesky mass_;
  Matrix M_inverse_Pt_, PMPt_;
  Vector vdot_, excess_, lambda_;
  std::unique_ptr<Pseudoinverse> PMPt_plus_;
  const char* failure_ = "";
};

}  // namespace

FormulationType least_squares_1() {
  return {.name = "least-squares-1",
          .description = "least-squares block solution for a regular mass matrix: the pseudoinverse of P M^-1 P^T",
          .source = "deFalco-Pennestri-Vita; Pekal-Fraczek (29)",
          .traits = {.redundant_rows = true,
                     .singular_mass = false,
                     .unique_multipliers = false,
                     .pseudoinverse = true,
                     .smallest_rank_threshold = smallest_squared_threshold,
                     .cost = "cubic (dense)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<LeastSquares1>(pattern, options);
          }};
}

}  // namespace bricard::formulations

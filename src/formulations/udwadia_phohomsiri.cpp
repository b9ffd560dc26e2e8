// `udwadia-phohomsiri`: one pseudoinverse for any M, singular ones included.                       [Pekal-Fraczek (43)]
//   E = I - P+ P,   v' = [E M; P]+ [Q + C; gamma],   lambda = P+^T (Q + C - M v')
// C are the generalised forces of constraints that do work: friction in proportion to the joints' loads. As E is a
// projector, E (Q + C) from (40) in place of Q + C gives the same; it is used because the residual that Q + C leaves in
// the least squares costs digits with the square of the condition. E = 0 if nothing can move. v' is unique if and only
// if [M; P] has full column rank; then so has [E M; P].
#include "formulations/dense_algebra.h"
#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "formulations/nonideal_forces.h"
#include "linear/blas_threads.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::formulations {
namespace {

class UdwadiaPhohomsiri : public Formulation, public NonidealForces {
 public:
  NonidealForces* nonideal() override { return this; }
  UdwadiaPhohomsiri(const Equations& pattern, const FormulationOptions& options)
      : eq_(pattern, options),
        n_(pattern.velocities()),
        m_(pattern.rows()),
        E_(n_, n_),
        stacked_(n_ + m_, n_),
        column_(m_),
        column_of_E_(n_),
        right_(n_ + m_),
        vdot_(n_),
        force_(n_),
        lambda_(m_),
        no_C_(Vector::Zero(n_)),
        Q_plus_C_(n_),
        P_plus_(create_pseudoinverse(options, m_, n_)),
        stacked_plus_(create_pseudoinverse(options, n_ + m_, n_)) {
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
    multiply(E_, eq_.M, stacked_.topRows(n_));
    stacked_.bottomRows(m_) = eq_.P;
    // Full column rank, so no singular value is to be dropped: the threshold only detects a motion without inertia.
    if (!stacked_plus_->factorize(stacked_, 1e-13)) {
      failure_ = "the pseudoinverse of [E M; P] was not found";
      return Status::failed;
    }
    if (stacked_plus_->rank() == n_) return Status::ok;
    failure_ = "[E M; P] lacks full rank: a motion has no inertia";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    return solve_nonideal(Q, no_C_, gamma, vdot, lambda);
  }

  Status solve_nonideal(ConstVector Q, ConstVector C, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    Q_plus_C_ = Q + C;
    eq_.set_right_sides(Q_plus_C_, gamma);
    right_.head(n_).noalias() = E_ * eq_.Q;
    right_.tail(m_) = eq_.gamma;
    stacked_plus_->apply(right_, vdot_);
    force_ = eq_.Q;
    force_.noalias() -= eq_.M * vdot_;
    P_plus_->apply_transposed(force_, lambda_);
    if (eq_.take(vdot_, lambda_, vdot, lambda)) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return P_plus_->rank(); }
  void show(Exhibit& exhibit) override {
    const char* source = "Pekal-Fraczek (43)";
    Matrix stacked(n_ + m_, n_);
    stacked << eq_.unscale_v() * stacked_.topRows(n_) * eq_.unscale_v(),
        stacked_.bottomRows(m_) * eq_.unscale_v() / eq_.c();
    Matrix plus = eq_.scale_v() * dense(*stacked_plus_, n_ + m_, n_);
    plus.leftCols(n_) = Matrix(plus.leftCols(n_) * eq_.scale_v());
    plus.rightCols(m_) *= eq_.c();
    Vector right(n_ + m_);
    right << eq_.unscale_v() * right_.head(n_), right_.tail(m_) / eq_.c();
    exhibit.add("E", "I - P+ P: projector on admissible velocities", source, eq_.scale_v() * E_ * eq_.unscale_v(),
                Axis::velocities, Axis::velocities);
    exhibit.add("[E^T M; P]", "of full column rank if M and P have no common null space", source, stacked,
                Axis::velocities_and_rows, Axis::velocities);
    exhibit.add("[E^T M; P]+", "its pseudoinverse", source, plus, Axis::velocities, Axis::velocities_and_rows);
    exhibit.add("[E^T (Q + C); gamma]", "v' = [E^T M; P]+ [E^T (Q + C); gamma]", source, right,
                Axis::velocities_and_rows);
  }

 private:
  DenseEquations eq_;
  int n_, m_;
  Matrix E_, stacked_;
  Vector column_, column_of_E_, right_, vdot_, force_, lambda_, no_C_, Q_plus_C_;
  std::unique_ptr<Pseudoinverse> P_plus_, stacked_plus_;
  const char* failure_ = "";
};

}  // namespace

FormulationType udwadia_phohomsiri() {
  return {.name = "udwadia-phohomsiri",
          .description =
              "the pseudoinverse of [E M; P], E = I - P+ P; takes singular mass matrices and constraints that do work",
          .source = "Udwadia, Phohomsiri 2006; Pekal-Fraczek (43)",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .unique_multipliers = false,
                     .pseudoinverse = true,
                     .cost = "cubic (dense)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return std::make_unique<UdwadiaPhohomsiri>(pattern, options);
          }};
}

}  // namespace bricard::formulations

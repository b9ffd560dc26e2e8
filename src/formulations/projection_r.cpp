// `projection-r`: the equations of motion projected on the admissible velocities, beside the constraints.
//   [P; R^T M] v' = [gamma; R^T Q],   P R = 0                                                       [Jalon-Bayo (5.17)]
// The columns of R come from a pivoted QR of P^T. With redundant rows there are more equations than unknowns: least
// squares, by a QR of the matrix, in which the dependent rows only say again what the others do. Multipliers:
// P^T lambda = Q - M v' with the factors of P.
#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "formulations/null_space.h"

namespace bricard::formulations {
namespace {

class ProjectionR : public Formulation {
 public:
  ProjectionR(const Equations& pattern, const FormulationOptions& options)
      : eq_(pattern, options),
        n_(pattern.velocities()),
        m_(pattern.rows()),
        basis_(qr_basis(m_, n_)),
        matrix_(m_ + n_, n_),
        RtM_transposed_(n_, n_),
        right_(m_ + n_),
        reflectors_(n_),
        vdot_(n_),
        force_(n_),
        lambda_(m_),
        work_(64 * (n_ + 1) + 64 * 65) {}

  Status factorize(const Equations& equations) override {
    failure_ = "";
    eq_.set_matrices(equations);
    if (!basis_->factorize(eq_.P, eq_.threshold)) {
      failure_ = "the Jacobian is not finite";
      return Status::failed;
    }
    const auto R = basis_->V();
    rows_ = m_ + static_cast<int>(R.cols());
    multiply(eq_.M, R, RtM_transposed_.leftCols(R.cols()));
    matrix_.topRows(m_) = eq_.P;
    matrix_.middleRows(m_, R.cols()) = RtM_transposed_.leftCols(R.cols()).transpose();
    if (n_ == 0) return Status::ok;
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows_, n_, matrix_.data(), m_ + n_, reflectors_.data(), work_.data(),
                        static_cast<int>(work_.size()));
    const auto pivots = matrix_.diagonal().cwiseAbs();
    if (pivots.minCoeff() > 1e-14 * pivots.maxCoeff()) return Status::ok;
    failure_ = "[P; R^T M] is singular: a motion has no inertia";
    return Status::failed;
  }

  Status solve(ConstVector Q, ConstVector gamma, VectorRef vdot, VectorRef lambda) override {
    eq_.set_right_sides(Q, gamma);
    right_.head(m_) = eq_.gamma;
    right_.segment(m_, rows_ - m_).noalias() = basis_->V().transpose() * eq_.Q;
    if (n_ > 0) {
      LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', rows_, 1, n_, matrix_.data(), m_ + n_, reflectors_.data(),
                          right_.data(), m_ + n_, work_.data(), static_cast<int>(work_.size()));
    }
    vdot_ = right_.head(n_);
    matrix_.topRows(n_).triangularView<Eigen::Upper>().solveInPlace(vdot_);
    force_ = eq_.Q;
    force_.noalias() -= eq_.M * vdot_;
    basis_->least_norm_multipliers(force_, lambda_);
    if (eq_.take(vdot_, lambda_, vdot, lambda)) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return basis_->rank(); }
  void show(Exhibit& exhibit) override {
    const Matrix R = eq_.scale_v() * Matrix(basis_->V()), RtM = basis_->V().transpose() * eq_.M * eq_.unscale_v();
    Matrix A(m_ + R.cols(), n_);
    A << (eq_.P * eq_.unscale_v()) / eq_.c(), RtM;
    Vector b(A.rows());
    b << eq_.gamma / eq_.c(), basis_->V().transpose() * eq_.Q;
    exhibit.add("R", "P R = 0: admissible velocities", "Jalon-Bayo (5.17)", R, Axis::velocities, Axis::freedoms);
    exhibit.add("[P; R^T M]", "the constraints, and the equations of motion projected on R", "Jalon-Bayo (5.17)", A,
                Axis::rows_and_freedoms, Axis::velocities);
    exhibit.add("[gamma; R^T Q]", "its right-hand side", "Jalon-Bayo (5.17)", b, Axis::rows_and_freedoms);
  }

 private:
  DenseEquations eq_;
  int n_, m_, rows_ = 0;
  std::unique_ptr<NullSpaceBasis> basis_;
  Matrix matrix_, RtM_transposed_;
  Vector right_, reflectors_, vdot_, force_, lambda_;
  std::vector<double> work_;
  const char* failure_ = "";
};

}  // namespace

FormulationType projection_r() {
  return {
      .name = "projection-r",
      .description = "constraints and projected equations of motion as one system for the dependent accelerations",
      .source = "Jalon-Bayo (5.17); least squares for redundant rows",
      .traits = {.redundant_rows = true, .singular_mass = true, .unique_multipliers = false, .cost = "cubic (dense)"},
      .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
        return std::make_unique<ProjectionR>(pattern, options);
      }};
}

}  // namespace bricard::formulations

// `projection-r`: the equations of motion projected on the admissible velocities, beside the constraints.
//   [P; R^T M] v' = [gamma; R^T Q],   P R = 0                                                       [Jalon-Bayo (5.17)]
// The columns of R come from a pivoted QR of P^T, or from the partition into dependent and independent coordinates,
//   R = [-P_d^-1 P_i; I],                                                                   [Jalon-Bayo Algorithm 5-2]
// of which the choice of columns is kept while its pivots serve; R itself belongs to its instant: of an older one R^T
// P^T lambda does not vanish. With redundant rows there are more equations than unknowns: least squares, by a QR of the
// matrix, in which the dependent rows only say again what the others do. Multipliers: P^T lambda = Q - M v' with the
// factors of P.
#include <fmt/format.h>
#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "formulations/dense_equations.h"
#include "formulations/exhibit.h"
#include "formulations/null_space.h"
#include "formulations/partition.h"

namespace bricard::formulations {
namespace {

class ProjectionR : public Formulation {
 public:
  ProjectionR(const Equations& pattern, const FormulationOptions& options)
      : eq_(pattern, options),
        n_(pattern.velocities()),
        m_(pattern.rows()),
        basis_(options.partition_basis ? nullptr : qr_basis(m_, n_)),
        partition_(options.partition_basis ? std::make_unique<Partition>(pattern, options) : nullptr),
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
    if (!find_R(equations)) return Status::failed;
    const auto R = this->R();
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
    right_.segment(m_, rows_ - m_).noalias() = R().transpose() * eq_.Q;
    if (n_ > 0) {
      LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', rows_, 1, n_, matrix_.data(), m_ + n_, reflectors_.data(),
                          right_.data(), m_ + n_, work_.data(), static_cast<int>(work_.size()));
    }
    vdot_ = right_.head(n_);
    matrix_.topRows(n_).triangularView<Eigen::Upper>().solveInPlace(vdot_);
    force_ = eq_.Q;
    force_.noalias() -= eq_.M * vdot_;
    find_multipliers();
    if (eq_.take(vdot_, lambda_, vdot, lambda)) return Status::ok;
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }

  const char* failure() const override { return failure_; }
  int rank() const override { return basis_ ? basis_->rank() : partition_->rank(); }
  std::string report() const override {
    if (!partition_) return {};
    return fmt::format("R by independent coordinates, chosen {} time{}", choices_, choices_ == 1 ? "" : "s");
  }
  void show(Exhibit& exhibit) override {
    const Matrix R = eq_.scale_v() * Matrix(this->R()), RtM = this->R().transpose() * eq_.M * eq_.unscale_v();
    Matrix A(m_ + R.cols(), n_);
    A << (eq_.P * eq_.unscale_v()) / eq_.c(), RtM;
    Vector b(A.rows());
    b << eq_.gamma / eq_.c(), R.transpose() * (eq_.unscale_v() * eq_.Q);
    const char* of_R = basis_ ? "P R = 0: admissible velocities" : "[-P_d^-1 P_i; I], P R = 0: admissible velocities";
    exhibit.add("R", of_R, basis_ ? "Jalon-Bayo (5.17)" : "Jalon-Bayo Algorithm 5-2", R, Axis::velocities,
                Axis::freedoms);
    exhibit.add("[P; R^T M]", "the constraints, and the equations of motion projected on R", "Jalon-Bayo (5.17)", A,
                Axis::rows_and_freedoms, Axis::velocities);
    exhibit.add("[gamma; R^T Q]", "its right-hand side", "Jalon-Bayo (5.17)", b, Axis::rows_and_freedoms);
  }

 private:
  /// In dimensionless velocities.
  Eigen::Ref<const Matrix> R() const {
    if (basis_) return basis_->V();
    return R_;
  }

  bool find_R(const Equations& equations) {
    if (basis_) {
      if (!basis_->factorize(eq_.P, eq_.threshold)) failure_ = "the Jacobian is not finite";
    } else if (!serves(equations)) {
      ++choices_;
      if (!partition_->choose(equations)) failure_ = "no independent coordinates can be chosen";
      highest_rank_ = std::max(highest_rank_, partition_->rank());
    }
    if (partition_ && *failure_ == '\0') R_ = eq_.unscale_v() * partition_->R();
    return *failure_ == '\0';
  }

  /// The choice of columns, not R, is kept. One made at a singular position, of fewer rows, does not serve beside it.
  bool serves(const Equations& equations) {
    return partition_->is_chosen() && partition_->rank() == highest_rank_ && partition_->factorize(equations) &&
           !partition_->is_outdated();
  }

  void find_multipliers() {
    if (basis_) return basis_->least_norm_multipliers(force_, lambda_);
    force_ = eq_.unscale_v() * force_;
    partition_->multipliers(force_, lambda_);
    lambda_ /= eq_.c();
  }

  DenseEquations eq_;
  int n_, m_, rows_ = 0;
  std::unique_ptr<NullSpaceBasis> basis_;  // one of these
  std::unique_ptr<Partition> partition_;
  int highest_rank_ = 0;
  long choices_ = 0;
  Matrix R_;  // of the partition
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

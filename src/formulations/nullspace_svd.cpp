// `nullspace-svd`: V from the singular value decomposition of P^T.                      [Pennestri-Valentini (72)-(77)]
//   P^T = [W_d W_i] [S 0; 0 0] U^T,   V = W_i,   s = W_d S^-1 U_r^T gamma,   lambda = U_r S^-1 W_d^T force
#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "formulations/null_space.h"

namespace bricard::formulations {
namespace {

class SvdBasis : public NullSpaceBasis {
 public:
  SvdBasis(int rows, int columns)
      : NullSpaceBasis(rows, columns),
        small_(std::min(rows, columns)),
        Pt_(columns, rows),
        W_(columns, columns),
        Ut_(rows, rows),
        S_(small_),
        coefficients_(small_),
        integers_(8 * std::max(small_, 1)) {
    double wanted = 1;
    if (small_ > 0) run(&wanted, -1);
    work_.resize(static_cast<std::size_t>(wanted));
  }

 protected:
  bool decompose(const Matrix& P, double threshold) override {
    Pt_ = P.transpose();
    if (run(work_.data(), static_cast<int>(work_.size())) != 0) return false;
    for (rank_ = 0; rank_ < small_ && S_[rank_] > threshold * S_[0];) ++rank_;
    V_.leftCols(columns_ - rank_) = W_.rightCols(columns_ - rank_);
    return true;
  }

  void solve(const Vector& gamma, Vector& s) override {
    auto c = coefficients_.head(rank_);
    c.noalias() = Ut_.topRows(rank_) * gamma;
    c.array() /= S_.head(rank_).array();
    s.noalias() = W_.leftCols(rank_) * c;
  }

  void solve_transposed(const Vector& force, Vector& lambda) override {
    auto c = coefficients_.head(rank_);
    c.noalias() = W_.leftCols(rank_).transpose() * force;
    c.array() /= S_.head(rank_).array();
    lambda.noalias() = Ut_.topRows(rank_).transpose() * c;
  }

 private:
  int run(double* work, int size) {
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', columns_, rows_, Pt_.data(), columns_, S_.data(), W_.data(),
                               columns_, Ut_.data(), rows_, work, size, integers_.data());
  }

  int small_;
  Matrix Pt_, W_, Ut_;
  Vector S_, coefficients_;
  std::vector<lapack_int> integers_;
  std::vector<double> work_;
};

}  // namespace

FormulationType nullspace_svd() {
  return {
      .name = "nullspace-svd",
      .description = "independent accelerations on a null space of the Jacobian from its singular value decomposition",
      .source = "Pennestri-Valentini (72)-(77)",
      .traits = {.redundant_rows = true, .singular_mass = true, .unique_multipliers = false, .cost = "cubic (dense)"},
      .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
        return null_space_formulation(pattern, options,
                                      std::make_unique<SvdBasis>(pattern.rows(), pattern.velocities()));
      }};
}

}  // namespace bricard::formulations

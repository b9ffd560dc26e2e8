// `nullspace-eigen`: zero-eigenvalue method.        [Walton-Steeves; Kamman-Huston; Pennestri-Valentini (68)-(71)]
//   P^T P = [T_1 T_2] [0 0; 0 L] [T_1 T_2]^T,  V = T_1,  s = T_2 L^-1 T_2^T P^T gamma,  lambda = P T_2 L^-1 T_2^T force
// Eigenvalues are squares of P's singular values: those below 1e-7 of the largest are lost in rounding, whatever the
// threshold, and so s is refined once with its residual.
#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "formulations/null_space.h"

namespace bricard::formulations {
namespace {

class EigenBasis : public NullSpaceBasis {
 public:
  EigenBasis(int rows, int columns)
      : NullSpaceBasis(rows, columns),
        P_(rows, columns),
        T_(columns, columns),
        eigenvalues_(columns),
        coefficients_(columns),
        of_columns_(columns),
        correction_(columns),
        residual_(rows) {
    if (columns == 0) return;
    double wanted = 1;
    lapack_int integers_wanted = 1;
    run(&wanted, -1, &integers_wanted, -1);
    work_.resize(static_cast<std::size_t>(wanted));
    integers_.resize(integers_wanted);
  }

 protected:
  bool decompose(const Matrix& P, double threshold) override {
    P_ = P;
    multiply_transposed(P, P, T_);
    if (run(work_.data(), static_cast<int>(work_.size()), integers_.data(), static_cast<int>(integers_.size())) != 0)
      return false;
    // In ascending order: the zeros come first. Rounding may make them negative.
    threshold = std::max(threshold, smallest_squared_threshold);
    const double smallest = threshold * threshold * eigenvalues_[columns_ - 1];
    int free = 0;
    while (free < columns_ && !(eigenvalues_[free] > smallest)) ++free;
    rank_ = columns_ - free;
    V_.leftCols(free) = T_.leftCols(free);
    return true;
  }

  void solve(const Vector& gamma, Vector& s) override {
    of_columns_.noalias() = P_.transpose() * gamma;
    solve_square(of_columns_, s);
    residual_ = gamma;
    residual_.noalias() -= P_ * s;
    of_columns_.noalias() = P_.transpose() * residual_;
    solve_square(of_columns_, correction_);
    s += correction_;
  }

  void solve_transposed(const Vector& force, Vector& lambda) override {
    solve_square(force, of_columns_);
    lambda.noalias() = P_ * of_columns_;
  }

 private:
  /// x = (P^T P)+ b
  void solve_square(const Vector& b, Vector& x) {
    const auto T_2 = T_.rightCols(rank_);
    auto c = coefficients_.head(rank_);
    c.noalias() = T_2.transpose() * b;
    c.array() /= eigenvalues_.tail(rank_).array();
    x.noalias() = T_2 * c;
  }

  int run(double* work, int size, lapack_int* integers, int integers_size) {
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', columns_, T_.data(), columns_, eigenvalues_.data(), work,
                               size, integers, integers_size);
  }

  Matrix P_, T_;  // T: P^T P, then its eigenvectors
  Vector eigenvalues_, coefficients_, of_columns_, correction_, residual_;
  std::vector<lapack_int> integers_;
  std::vector<double> work_;
};

}  // namespace

FormulationType nullspace_eigen() {
  return {.name = "nullspace-eigen",
          .description = "independent accelerations on the eigenvectors of P^T P with eigenvalue zero",
          .source = "Walton, Steeves 1969; Kamman, Huston 1984; Pennestri-Valentini (68)-(71)",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .unique_multipliers = false,
                     .smallest_rank_threshold = smallest_squared_threshold,
                     .cost = "cubic (dense)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return null_space_formulation(pattern, options,
                                          std::make_unique<EigenBasis>(pattern.rows(), pattern.velocities()));
          }};
}

}  // namespace bricard::formulations

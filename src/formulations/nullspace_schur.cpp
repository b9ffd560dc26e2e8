// `nullspace-schur`: V from the Schur decomposition of P^T P.                           [Pennestri-Valentini (78)-(80)]
//   P^T P = K U K^T,  K = [K_1 K_2] with the zeros of U first,   V = K_1,
//   s = K_2 U_2^-1 K_2^T P^T gamma,   lambda = P K_2 U_2^-1 K_2^T force
// The zeros are not first by themselves, as (79) takes them to be: U is reordered. U is diagonal up to rounding,
// because P^T P is symmetric; what rounding leaves beside the diagonal is dropped, and s and lambda are refined once.
// U holds squares of P's singular values: those below 1e-7 of the largest are lost in rounding, whatever the threshold.
#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "formulations/null_space.h"

namespace bricard::formulations {
namespace {

class SchurBasis : public NullSpaceBasis {
 public:
  SchurBasis(int rows, int columns)
      : NullSpaceBasis(rows, columns),
        P_(rows, columns),
        U_(Matrix::Identity(columns, columns)),
        K_(columns, columns),
        real_(columns),
        imaginary_(columns),
        coefficients_(columns),
        of_columns_(columns),
        correction_(columns),
        of_rows_(rows),
        zero_(columns) {
    if (columns == 0) return;
    double wanted = 1;
    run(&wanted, -1);
    work_.resize(std::max(static_cast<std::size_t>(wanted), static_cast<std::size_t>(columns)));
  }

 protected:
  bool decompose(const Matrix& P, double threshold) override {
    P_ = P;
    multiply_transposed(P, P, U_);
    if (run(work_.data(), static_cast<int>(work_.size())) != 0) return false;
    threshold = std::max(threshold, smallest_squared_threshold);
    const double smallest = threshold * threshold * real_.maxCoeff();
    for (int k = 0; k < columns_; ++k) zero_[k] = !(real_[k] > smallest);
    lapack_int free = 0, unused = 0;
    double condition = 0, separation = 0;
    const int failed = LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', zero_.data(), columns_, U_.data(), columns_,
                                           K_.data(), columns_, real_.data(), imaginary_.data(), &free, &condition,
                                           &separation, work_.data(), static_cast<int>(work_.size()), &unused, 1);
    if (failed != 0) return false;
    rank_ = columns_ - free;
    V_.leftCols(free) = K_.leftCols(free);
    return true;
  }

  void solve(const Vector& gamma, Vector& s) override {
    of_columns_.noalias() = P_.transpose() * gamma;
    solve_square(of_columns_, s);
    of_rows_ = gamma;
    of_rows_.noalias() -= P_ * s;
    of_columns_.noalias() = P_.transpose() * of_rows_;
    solve_square(of_columns_, correction_);
    s += correction_;
  }

  void solve_transposed(const Vector& force, Vector& lambda) override {
    solve_square(force, correction_);
    lambda.noalias() = P_ * correction_;
    of_columns_ = force;
    of_columns_.noalias() -= P_.transpose() * lambda;
    solve_square(of_columns_, correction_);
    lambda.noalias() += P_ * correction_;
  }

 private:
  /// x = (P^T P)+ b
  void solve_square(const Vector& b, Vector& x) {
    const auto K_2 = K_.rightCols(rank_);
    auto c = coefficients_.head(rank_);
    c.noalias() = K_2.transpose() * b;
    c.array() /= U_.diagonal().tail(rank_).array();
    x.noalias() = K_2 * c;
  }

  int run(double* work, int size) {
    lapack_int sorted = 0;
    return LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'V', 'N', nullptr, columns_, U_.data(), columns_, &sorted, real_.data(),
                              imaginary_.data(), K_.data(), columns_, work, size, nullptr);
  }

  Matrix P_, U_, K_;  // U: P^T P, then its Schur form
  Vector real_, imaginary_, coefficients_, of_columns_, correction_, of_rows_;
  std::vector<lapack_logical> zero_;
  std::vector<double> work_;
};

}  // namespace

FormulationType nullspace_schur() {
  return {.name = "nullspace-schur",
          .description = "independent accelerations on the Schur vectors of P^T P that belong to zero",
          .source = "Pennestri-Valentini (78)-(80), reordered",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .unique_multipliers = false,
                     .smallest_rank_threshold = smallest_squared_threshold,
                     .cost = "cubic (dense)"},
          .create = [](const Equations& pattern, const FormulationOptions& options) -> std::unique_ptr<Formulation> {
            return null_space_formulation(pattern, options,
                                          std::make_unique<SchurBasis>(pattern.rows(), pattern.velocities()));
          }};
}

}  // namespace bricard::formulations

// `normal-equations`: A^T A x_k = A^T e_k for the columns of A+, with one Cholesky factorisation.
//   A^T A = L L^T,   A+ = [x_1 ... x_m],   rows >= columns                        [deFalco-Pennestri-Vita (12), (13)]
// Without rank Cholesky's factorisation breaks down, or passes by rounding and is wrong. Squares square the condition.
#include <lapacke.h>

#include "pseudoinverses/flops.h"
#include "pseudoinverses/formed.h"

namespace bricard::pseudoinverses {
namespace {

class NormalEquations : public FormedPseudoinverse {
 public:
  NormalEquations(int given_rows, int given_columns)
      : FormedPseudoinverse(given_rows, given_columns, given_rows < given_columns), squares_(columns(), columns()) {}

 private:
  bool form(const Matrix& A, Matrix& X) override {
    const int n = columns();
    multiply(A, true, A, false, squares_);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, squares_.data(), n) != 0) return false;
    X = A.transpose();
    return LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, rows(), squares_.data(), n, X.data(), n) == 0;
  }

  Matrix squares_;
};

}  // namespace

PseudoinverseType normal_equations() {
  return {.name = "normal-equations",
          .description = "A^T A x = A^T e_k by Cholesky, of A^T if A has more columns than rows; for full rank only",
          .source = "deFalco, Pennestri, Vita 2009, (12)",
          .traits = {.any_rank = false, .decides_rank = false, .chooses_order = false, .squares_condition = true},
          .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<NormalEquations>(rows, columns);
          },
          .operations =
              [](const Matrix& A, RankThreshold) {
                const auto m = static_cast<double>(std::max(A.rows(), A.cols())),
                           n = static_cast<double>(std::min(A.rows(), A.cols()));
                return Operations{
                    .count = flops::product(n, m, n) + flops::cholesky(n) + 2 * flops::triangular_solve(n, m),
                    .counted = false};
              }};
}

}  // namespace bricard::pseudoinverses

// `augmented`: the solutions of least norm with their multipliers, by one LU factorisation.
//   [I A^T; A 0] [x_k; lambda] = [0; e_k],   A+ = [x_1 ... x_m],   rows <= columns
//                                                                            [deFalco-Pennestri-Vita (8), (13), (14)]
// Without rank the matrix is singular, of which LU gives no message unless a pivot is exactly zero. It holds A once, but
// its condition is that of A squared all the same.
#include <lapacke.h>

#include "pseudoinverses/flops.h"
#include "pseudoinverses/formed.h"

namespace bricard::pseudoinverses {
namespace {

class Augmented : public FormedPseudoinverse {
 public:
  Augmented(int given_rows, int given_columns)
      : FormedPseudoinverse(given_rows, given_columns, given_rows > given_columns),
        matrix_(rows() + columns(), rows() + columns()),
        solutions_(rows() + columns(), rows()),
        pivots_(static_cast<std::size_t>(rows() + columns())) {}

 private:
  bool form(const Matrix& A, Matrix& X) override {
    const int m = rows(), n = columns(), size = m + n;
    matrix_.setIdentity();
    matrix_.topRightCorner(n, m) = A.transpose();
    matrix_.bottomLeftCorner(m, n) = A;
    matrix_.bottomRightCorner(m, m).setZero();
    solutions_.setZero();
    solutions_.bottomRows(m).setIdentity();
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, matrix_.data(), size, pivots_.data()) != 0 ||
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', size, m, matrix_.data(), size, pivots_.data(), solutions_.data(),
                            size) != 0)
      return false;
    X = solutions_.topRows(n);
    return true;
  }

  Matrix matrix_, solutions_;
  std::vector<lapack_int> pivots_;
};

}  // namespace

PseudoinverseType augmented() {
  return {.name = "augmented",
          .description = "[I A^T; A 0] by LU, of A^T if A has more rows than columns; for full rank only",
          .source = "deFalco, Pennestri, Vita 2009, (14)",
          .traits = {.any_rank = false, .decides_rank = false, .chooses_order = false, .squares_condition = true},
          .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<Augmented>(rows, columns);
          },
          .operations =
              [](const Matrix& A, RankThreshold) {
                const auto m = static_cast<double>(std::min(A.rows(), A.cols())),
                           size = static_cast<double>(A.rows() + A.cols());
                return Operations{.count = flops::lu(size) + 2 * flops::triangular_solve(size, m), .counted = false};
              }};
}

}  // namespace bricard::pseudoinverses

// `left-inverse`, `right-inverse`: the pseudoinverse of full rank with the inverse of a matrix of squares.
//   A+ = (A^T A)^-1 A^T  for rows >= columns,   A+ = A^T (A A^T)^-1  for rows <= columns
//                                                                             [deFalco-Pennestri-Vita (5), (10), (28)]
// A+ A = 1 of the first and A A+ = 1 of the second: the names are interchanged in print. A square matrix has both, and
// they differ where it is singular: nothing tests the rank, and rounding is inverted. Squares square the condition.
#include <lapacke.h>

#include "pseudoinverses/flops.h"
#include "pseudoinverses/formed.h"

namespace bricard::pseudoinverses {
namespace {

enum class OneSided { left, right };

class OneSidedInverse : public FormedPseudoinverse {
 public:
  OneSidedInverse(int rows, int columns, OneSided side)
      : FormedPseudoinverse(rows, columns, side == OneSided::left ? rows < columns : rows > columns),
        side_(side),
        squares_(rank(), rank()),
        pivots_(static_cast<std::size_t>(rank())) {
    // Workspace query, so that factorising does not allocate.
    double wanted = 1;
    if (rank() > 0) LAPACKE_dgetri_work(LAPACK_COL_MAJOR, rank(), squares_.data(), rank(), pivots_.data(), &wanted, -1);
    work_.resize(static_cast<std::size_t>(wanted));
  }

 private:
  bool form(const Matrix& A, Matrix& X) override {
    if (side_ == OneSided::left) {
      multiply(A, true, A, false, squares_);
      if (!invert()) return false;
      multiply(squares_, false, A, true, X);
    } else {
      multiply(A, false, A, true, squares_);
      if (!invert()) return false;
      multiply(A, true, squares_, false, X);
    }
    return true;
  }

  /// False if a pivot is exactly zero; a small one raises no objection.
  bool invert() {
    const int n = rank();
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, squares_.data(), n, pivots_.data()) == 0 &&
           LAPACKE_dgetri_work(LAPACK_COL_MAJOR, n, squares_.data(), n, pivots_.data(), work_.data(),
                               static_cast<int>(work_.size())) == 0;
  }

  OneSided side_;
  Matrix squares_;
  std::vector<lapack_int> pivots_;
  std::vector<double> work_;
};

Operations operations_of_one_sided(const Matrix& A, RankThreshold) {
  const auto most = static_cast<double>(std::max(A.rows(), A.cols())),
             least = static_cast<double>(std::min(A.rows(), A.cols()));
  return {.count = flops::product(least, most, least) + flops::lu(least) + flops::inverse_from_lu(least) +
                   flops::product(least, least, most),
          .counted = false};
}

constexpr PseudoinverseTraits traits_of_squares = {
    .any_rank = false, .decides_rank = false, .chooses_order = false, .squares_condition = true};

}  // namespace

PseudoinverseType left_inverse() {
  return {.name = "left-inverse",
          .description = "(A^T A)^-1 A^T as printed, of A^T if A has more columns than rows; for full rank only",
          .source = "deFalco, Pennestri, Vita 2009, (5)",
          .traits = traits_of_squares,
          .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<OneSidedInverse>(rows, columns, OneSided::left);
          },
          .operations = operations_of_one_sided};
}

PseudoinverseType right_inverse() {
  return {.name = "right-inverse",
          .description = "A^T (A A^T)^-1 as printed, of A^T if A has more rows than columns; for full rank only",
          .source = "deFalco, Pennestri, Vita 2009, (10), (28)",
          .traits = traits_of_squares,
          .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<OneSidedInverse>(rows, columns, OneSided::right);
          },
          .operations = operations_of_one_sided};
}

}  // namespace bricard::pseudoinverses

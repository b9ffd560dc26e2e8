// `varga`: two QR factorisations reduce A to a square regular block.                [deFalco-Pennestri-Vita (17)-(18)]
//   A = U [G1; 0],  G1^T = V^T [G2^T; 0]   =>   A = U [G2 0; 0 0] V,   A+ = V^T [G2^-1 0; 0 0] U^T
// The first one pivots columns, A P = U [R1; 0] and G1 = R1 P^T: without pivoting the diagonal says little about the
// rank. Diagonal elements of R1 up to threshold * the first one, with the rows below them, count as zero.
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "linear/blas_threads.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::pseudoinverses {
namespace {

class VargaPseudoinverse : public Pseudoinverse {
 public:
  VargaPseudoinverse(int rows, int columns)
      : rows_(rows),
        columns_(columns),
        small_(std::min(rows, columns)),
        U_(rows, columns),
        V_(columns, small_),
        U_factors_(small_),
        V_factors_(small_),
        left_(rows),
        right_(columns),
        pivots_(columns) {
    use_one_blas_thread();
    // Workspace queries, so that factorising does not allocate.
    double wanted[2] = {1, 1};
    if (small_ > 0) {
      first_qr(&wanted[0], -1);
      second_qr(small_, &wanted[1], -1);
    }
    work_.resize(static_cast<std::size_t>(std::max(wanted[0], wanted[1])));
  }

  bool factorize(const Matrix& A, double threshold) override {
    rank_ = 0;
    if (small_ == 0) return true;
    if (!A.allFinite()) return false;
    U_ = A;
    const int size = static_cast<int>(work_.size());
    if (first_qr(work_.data(), size) != 0) return false;
    while (rank_ < small_ && std::abs(U_(rank_, rank_)) > threshold * std::abs(U_(0, 0))) ++rank_;
    if (rank_ == 0) return true;
    V_.leftCols(rank_).setZero();
    for (int j = 0; j < columns_; ++j) {
      const int length = std::min(j + 1, rank_);
      V_.row(pivots_[j] - 1).head(length) = U_.col(j).head(length).transpose();
    }
    return second_qr(rank_, work_.data(), size) == 0;
  }

  void apply(const Vector& b, Vector& x) override {
    left_ = b;
    x.setZero(columns_);
    if (rank_ == 0) return;
    reflect(U_, U_factors_, 'T', left_);
    x.head(rank_) = left_.head(rank_);
    const auto G2_transposed = V_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>();
    G2_transposed.transpose().solveInPlace(x.head(rank_));
    reflect(V_, V_factors_, 'N', x);
  }

  void apply_transposed(const Vector& b, Vector& x) override {
    right_ = b;
    x.setZero(rows_);
    if (rank_ == 0) return;
    reflect(V_, V_factors_, 'T', right_);
    x.head(rank_) = right_.head(rank_);
    const auto G2_transposed = V_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>();
    G2_transposed.solveInPlace(x.head(rank_));
    reflect(U_, U_factors_, 'N', x);
  }

  int rank() const override { return rank_; }

 private:
  int first_qr(double* work, int size) {
    std::fill(pivots_.begin(), pivots_.end(), 0);
    return LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows_, columns_, U_.data(), rows_, pivots_.data(), U_factors_.data(),
                               work, size);
  }

  int second_qr(int rank, double* work, int size) {
    return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, columns_, rank, V_.data(), columns_, V_factors_.data(), work, size);
  }

  /// y = H y or H^T y, H the product of the first rank reflections. The least workspace selects LAPACK's unblocked
  /// code, which for a single vector does far less work than building blocks of reflections anew.
  void reflect(const Matrix& reflections, const Vector& factors, char transposed, Vector& y) const {
    const int n = static_cast<int>(y.size());
    double work = 0;
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transposed, n, 1, rank_, reflections.data(), n, factors.data(), y.data(),
                        n, &work, 1);
  }

  int rows_, columns_, small_, rank_ = 0;
  // Reflections below the diagonal; on and above it R1 in U_, G2^T in V_.
  Matrix U_, V_;
  Vector U_factors_, V_factors_, left_, right_;
  std::vector<lapack_int> pivots_;
  std::vector<double> work_;
};

}  // namespace

PseudoinverseType varga() {
  return {.name = "varga",
          .description = "two QR factorisations, the first with column pivoting",
          .source = "deFalco, Pennestri, Vita 2009, section 2.4",
          .create = [](int rows, int columns) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<VargaPseudoinverse>(rows, columns);
          }};
}

}  // namespace bricard::pseudoinverses

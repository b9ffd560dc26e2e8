// `varga`, `varga-unpivoted`: two QR factorisations reduce A to a square regular block.
//   A = U [G1; 0],  G1^T = V^T [G2^T; 0]   =>   A = U [G2 0; 0 0] V,   A+ = V^T [G2^-1 0; 0 0] U^T
//                                                                                   [deFalco-Pennestri-Vita (17)-(18)]
// `varga` pivots columns, A P = U [R1; 0] and G1 = R1 P^T: without pivoting the diagonal says little about the rank.
// Diagonal elements of R1 up to threshold * the first one, with the rows below them, count as zero.
// `varga-unpivoted` is as printed, P = 1: rows of R with a diagonal element up to threshold * the largest are left out.
// Where a column depends on those before it and is not the last, such a row is not zero. Of two rows in proportion
// rounding then chooses what is kept: A A+ A = A still, but A A+ is not symmetric. Right-hand sides in the range of A
// get their solution of least norm; others, as off the constraints, and the transpose, get something.
#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/blas_threads.h"
#include "pseudoinverses/flops.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::pseudoinverses {
namespace {

class VargaPseudoinverse : public Pseudoinverse {
 public:
  VargaPseudoinverse(int rows, int columns, bool pivoted)
      : pivoted_(pivoted),
        rows_(rows),
        columns_(columns),
        small_(std::min(rows, columns)),
        U_(rows, columns),
        V_(columns, small_),
        U_factors_(small_),
        V_factors_(small_),
        left_(rows),
        right_(columns),
        pivots_(columns),
        kept_(small_) {
    use_one_blas_thread();
    // Workspace queries, so that factorising does not allocate.
    double wanted[2] = {1, 1};
    if (small_ > 0) {
      first_qr(&wanted[0], -1);
      second_qr(small_, &wanted[1], -1);
    }
    work_.resize(static_cast<std::size_t>(std::max(wanted[0], wanted[1])));
  }

  bool factorize(const Matrix& A, RankThreshold threshold) override {
    rank_ = 0;
    if (small_ == 0) return true;
    if (!A.allFinite()) return false;
    U_ = A;
    const int size = static_cast<int>(work_.size());
    if (first_qr(work_.data(), size) != 0) return false;
    keep_rows(threshold);
    if (rank_ == 0) return true;
    V_.leftCols(rank_).setZero();
    for (int j = 0; j < columns_; ++j) {
      for (int k = 0; k < rank_ && kept_[k] <= j; ++k) V_(pivots_[j] - 1, k) = U_(kept_[k], j);
    }
    return second_qr(rank_, work_.data(), size) == 0;
  }

  void apply(const Vector& b, Vector& x) override {
    left_ = b;
    x.setZero(columns_);
    if (rank_ == 0) return;
    reflect(U_, U_factors_, reflections_, 'T', left_);
    for (int k = 0; k < rank_; ++k) x[k] = left_[kept_[k]];
    const auto G2_transposed = V_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>();
    G2_transposed.transpose().solveInPlace(x.head(rank_));
    reflect(V_, V_factors_, rank_, 'N', x);
  }

  void apply_transposed(const Vector& b, Vector& x) override {
    right_ = b;
    x.setZero(rows_);
    if (rank_ == 0) return;
    reflect(V_, V_factors_, rank_, 'T', right_);
    const auto G2_transposed = V_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>();
    G2_transposed.solveInPlace(right_.head(rank_));
    for (int k = 0; k < rank_; ++k) x[kept_[k]] = right_[k];
    reflect(U_, U_factors_, reflections_, 'N', x);
  }

  int rank() const override { return rank_; }

 private:
  /// Which rows of R make G1.
  void keep_rows(RankThreshold threshold) {
    const double largest = pivoted_ ? std::abs(U_(0, 0)) : U_.diagonal().cwiseAbs().maxCoeff();
    const double least = threshold.least(largest);
    reflections_ = 0;
    for (int k = 0; k < small_; ++k) {
      const bool is_kept = std::abs(U_(k, k)) > least;
      if (pivoted_ && !is_kept) break;
      if (!is_kept) continue;
      kept_[rank_++] = k;
      reflections_ = k + 1;
    }
  }

  int first_qr(double* work, int size) {
    if (!pivoted_) {
      std::iota(pivots_.begin(), pivots_.end(), 1);
      return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, rows_, columns_, U_.data(), rows_, U_factors_.data(), work, size);
    }
    std::fill(pivots_.begin(), pivots_.end(), 0);
    return LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows_, columns_, U_.data(), rows_, pivots_.data(), U_factors_.data(),
                               work, size);
  }

  int second_qr(int rank, double* work, int size) {
    return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, columns_, rank, V_.data(), columns_, V_factors_.data(), work, size);
  }

  /// y = H y or H^T y, H the product of the first reflections. The least workspace selects LAPACK's unblocked
  /// code, which for a single vector does far less work than building blocks of reflections anew.
  static void reflect(const Matrix& reflections, const Vector& factors, int count, char transposed, Vector& y) {
    const int n = static_cast<int>(y.size());
    double work = 0;
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transposed, n, 1, count, reflections.data(), n, factors.data(), y.data(),
                        n, &work, 1);
  }

  bool pivoted_;
  int rows_, columns_, small_, rank_ = 0, reflections_ = 0;
  // Reflections below the diagonal; on and above it R1 in U_, G2^T in V_.
  Matrix U_, V_;
  Vector U_factors_, V_factors_, left_, right_;
  std::vector<lapack_int> pivots_;
  std::vector<int> kept_;  // rows of R
  std::vector<double> work_;
};

Operations operations_of_varga(const Matrix& A, RankThreshold threshold, bool pivoted) {
  VargaPseudoinverse varga(static_cast<int>(A.rows()), static_cast<int>(A.cols()), pivoted);
  varga.factorize(A, threshold);
  const auto m = static_cast<double>(A.rows()), n = static_cast<double>(A.cols()), r = double(varga.rank());
  return {.count = flops::qr(m, n) + flops::qr(n, r) + flops::reflect(m, r, m) + flops::triangular_solve(r, m) +
                   flops::reflect(n, r, m),
          .counted = false};
}

}  // namespace

PseudoinverseType varga() {
  return {
      .name = "varga",
      .description = "two QR factorisations, the first with column pivoting",
      .source = "deFalco, Pennestri, Vita 2009, section 2.4",
      .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
        return std::make_unique<VargaPseudoinverse>(rows, columns, true);
      },
      .operations = [](const Matrix& A, RankThreshold threshold) { return operations_of_varga(A, threshold, true); }};
}

PseudoinverseType varga_unpivoted() {
  return {
      .name = "varga-unpivoted",
      .description =
          "the same as printed, without pivoting: wrong where a column depends on those before it and is "
          "not the last",
      .source = "deFalco, Pennestri, Vita 2009, (17)-(18)",
      .traits = {.any_rank = false, .chooses_order = false},
      .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
        return std::make_unique<VargaPseudoinverse>(rows, columns, false);
      },
      .operations = [](const Matrix& A, RankThreshold threshold) { return operations_of_varga(A, threshold, false); }};
}

}  // namespace bricard::pseudoinverses

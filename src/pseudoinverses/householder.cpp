// `householder`: the least-squares solution of least norm from a complete orthogonal factorisation.
//   A P = Q [R11 R12; 0 0]  (Householder reflections from the left, columns pivoted),
//   [R11 R12] = [T 0] Z     (Householder reflections from the right),
//   A+ b = P Z^T [T^-1 0; 0 0] Q^T b                             [deFalco-Pennestri-Vita 2.2; Golub-Van Loan 5.5]
// The reflections from the right make the norm least: R11^-1 alone gives a basic solution, which is not A+ b.
// Diagonal elements of R up to threshold * the first one, with the rows below them, count as zero.
#include <lapacke.h>

#include <algorithm>
#include <cmath>

#include "linear/blas_threads.h"
#include "pseudoinverses/flops.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::pseudoinverses {
namespace {

class HouseholderPseudoinverse : public Pseudoinverse {
 public:
  HouseholderPseudoinverse(int rows, int columns)
      : rows_(rows),
        columns_(columns),
        small_(std::min(rows, columns)),
        QTZ_(rows, columns),
        Q_factors_(small_),
        Z_factors_(small_),
        left_(rows),
        right_(columns),
        pivots_(columns) {
    use_one_blas_thread();
    // Workspace queries, so that factorising does not allocate.
    double wanted[2] = {1, 1};
    if (small_ > 0) {
      reduce_from_left(&wanted[0], -1);
      reduce_from_right(small_, &wanted[1], -1);
    }
    work_.resize(static_cast<std::size_t>(std::max(wanted[0], wanted[1])));
  }

  bool factorize(const Matrix& A, RankThreshold threshold) override {
    rank_ = 0;
    if (small_ == 0) return true;
    if (!A.allFinite()) return false;
    QTZ_ = A;
    const int size = static_cast<int>(work_.size());
    if (reduce_from_left(work_.data(), size) != 0) return false;
    const double least = threshold.least(std::abs(QTZ_(0, 0)));
    while (rank_ < small_ && std::abs(QTZ_(rank_, rank_)) > least) ++rank_;
    return rank_ == 0 || reduce_from_right(rank_, work_.data(), size) == 0;
  }

  void apply(const Vector& b, Vector& x) override {
    left_ = b;
    x.setZero(columns_);
    if (rank_ == 0) return;
    apply_Q('T', left_);
    const auto T = QTZ_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>();
    T.solveInPlace(left_.head(rank_));
    right_.head(rank_) = left_.head(rank_);
    right_.tail(columns_ - rank_).setZero();
    apply_Z('T', right_);
    for (int j = 0; j < columns_; ++j) x[pivots_[j] - 1] = right_[j];
  }

  void apply_transposed(const Vector& b, Vector& x) override {
    for (int j = 0; rank_ > 0 && j < columns_; ++j) right_[j] = b[pivots_[j] - 1];
    x.setZero(rows_);
    if (rank_ == 0) return;
    apply_Z('N', right_);
    x.head(rank_) = right_.head(rank_);
    const auto T = QTZ_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>();
    T.transpose().solveInPlace(x.head(rank_));
    apply_Q('N', x);
  }

  int rank() const override { return rank_; }

 private:
  int reduce_from_left(double* work, int size) {
    std::fill(pivots_.begin(), pivots_.end(), 0);
    return LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, rows_, columns_, QTZ_.data(), rows_, pivots_.data(), Q_factors_.data(),
                               work, size);
  }

  int reduce_from_right(int rank, double* work, int size) {
    return LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, rank, columns_, QTZ_.data(), rows_, Z_factors_.data(), work, size);
  }

  // The least workspace selects LAPACK's unblocked code, which for a single vector does far less work than building
  // blocks of reflections anew.
  void apply_Q(char transposed, Vector& y) const {
    double work = 0;
    LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', transposed, rows_, 1, rank_, QTZ_.data(), rows_, Q_factors_.data(),
                        y.data(), rows_, &work, 1);
  }

  void apply_Z(char transposed, Vector& y) const {
    if (rank_ == columns_) return;  // R12 is empty
    double work = 0;
    LAPACKE_dormrz_work(LAPACK_COL_MAJOR, 'L', transposed, columns_, 1, rank_, columns_ - rank_, QTZ_.data(), rows_,
                        Z_factors_.data(), y.data(), columns_, &work, 1);
  }

  int rows_, columns_, small_, rank_ = 0;
  // T in the upper triangle, the reflections of Q below it and those of Z to its right.
  Matrix QTZ_;
  Vector Q_factors_, Z_factors_, left_, right_;
  std::vector<lapack_int> pivots_;
  std::vector<double> work_;
};

}  // namespace

PseudoinverseType householder() {
  return {.name = "householder",
          .description = "least squares of least norm by Householder reflections from both sides",
          .source = "deFalco, Pennestri, Vita 2009, section 2.2",
          .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<HouseholderPseudoinverse>(rows, columns);
          },
          .operations =
              [](const Matrix& A, RankThreshold threshold) {
                HouseholderPseudoinverse reflections(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
                reflections.factorize(A, threshold);
                const auto m = static_cast<double>(A.rows()), n = static_cast<double>(A.cols()),
                           r = static_cast<double>(reflections.rank());
                // [R11 R12] is triangular already: reflections of n - r + 1 elements from the right.
                return Operations{.count = flops::qr(m, n) + 2 * r * r * (n - r) + flops::reflect(m, r, m) +
                                           flops::triangular_solve(r, m) + 4 * r * (n - r) * m,
                                  .counted = false};
              }};
}

}  // namespace bricard::pseudoinverses

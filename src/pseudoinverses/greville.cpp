// `greville`: A+ grows by one row a of A at a time.                                       [deFalco-Pennestri-Vita 2.5]
//   d = a A+,  c = a - d A,  b = c / (c c^T) if |c| > threshold * (largest |a|), else d (A+)^T / (1 + d d^T),
//   A <- [A; a],  A+ <- [A+ - b^T d, b^T]
// (the transpose of A+ in the second case is missing in print). Three liberties that the equations leave:
// - the order of the rows: the farthest from the span of those before goes next, as far as downdated norms can tell,
//   which keeps the intermediate matrices well conditioned: their errors stay in A+;
// - rows or columns, since (A^T)+ = (A+)^T: whichever are fewer, which is cheaper and avoids a square intermediate;
// - c is corrected, e = c A+, c <- c - e A, d <- d + e, until that no longer halves it: after cancellation the first c
//   is not orthogonal to the rows of A, and the error of A+ would grow like the square of the condition.
// Even so the recursion fails above conditions of about 1e10, where it takes dependent rows for independent ones.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pseudoinverses/pseudoinverse.h"

namespace bricard::pseudoinverses {
namespace {

constexpr int most_corrections = 3;

class GrevillePseudoinverse : public Pseudoinverse {
 public:
  // From here on "row" is a column of A if A has fewer of them.
  GrevillePseudoinverse(int rows, int columns)
      : transposed_(rows > columns),
        count_(std::min(rows, columns)),
        length_(std::max(rows, columns)),
        rows_(length_, count_),
        inverse_(length_, count_),
        c_(length_),
        b_(length_),
        d_(count_),
        d_more_(count_),
        distances_(count_),
        argument_(count_),
        order_(count_) {}

  bool factorize(const Matrix& A, double threshold) override {
    rank_ = 0;
    if (count_ == 0) return true;
    if (!A.allFinite()) return false;
    const double largest = A.cwiseAbs().maxCoeff();
    if (largest == 0) return true;
    // A power of two, exact, so that squares neither overflow nor vanish.
    scale_ = std::ldexp(1.0, std::min(-std::ilogb(largest), 1000));
    if (transposed_) {
      rows_ = scale_ * A;
    } else {
      rows_ = scale_ * A.transpose();
    }
    std::iota(order_.begin(), order_.end(), 0);
    distances_ = rows_.colwise().squaredNorm().transpose();
    const double least = threshold * std::sqrt(distances_.maxCoeff());
    for (int k = 0; k < count_; ++k) append_row(k, least);
    return true;
  }

  void apply(const Vector& b, Vector& x) override { transposed_ ? gather(b, x) : spread(b, x); }

  void apply_transposed(const Vector& b, Vector& x) override { transposed_ ? spread(b, x) : gather(b, x); }

  int rank() const override { return rank_; }

 private:
  void append_row(int k, double least) {
    Eigen::Index next;
    distances_.tail(count_ - k).maxCoeff(&next);
    next += k;
    rows_.col(k).swap(rows_.col(next));
    std::swap(distances_[k], distances_[next]);
    std::swap(order_[k], order_[next]);

    const auto A = rows_.leftCols(k);  // transposed
    auto A_plus = inverse_.leftCols(k);
    auto d = d_.head(k), d_more = d_more_.head(k);
    d.noalias() = A_plus.transpose() * rows_.col(k);
    c_ = rows_.col(k);
    c_.noalias() -= A * d;
    for (int pass = 0; pass < most_corrections; ++pass) {
      const double norm = c_.norm();
      d_more.noalias() = A_plus.transpose() * c_;
      c_.noalias() -= A * d_more;
      d += d_more;
      if (c_.norm() > norm / 2) break;
    }

    const double c_c = c_.squaredNorm();
    if (std::sqrt(c_c) > least) {
      ++rank_;
      b_ = c_ / c_c;
      const int others = count_ - k - 1;
      d_more_.head(others).noalias() = rows_.rightCols(others).transpose() * c_;
      distances_.tail(others).array() -= d_more_.head(others).array().square() / c_c;
    } else {
      b_.noalias() = A_plus * d;
      b_ /= 1 + d.squaredNorm();
    }
    A_plus.noalias() -= b_ * d.transpose();
    inverse_.col(k) = b_;
  }

  /// x = A+ b of the matrix of rows.
  void spread(const Vector& b, Vector& x) {
    for (int k = 0; rank_ > 0 && k < count_; ++k) argument_[k] = scale_ * b[order_[k]];
    x.setZero(length_);
    if (rank_ > 0) x.noalias() += inverse_ * argument_;
  }

  /// x = (A+)^T b of the matrix of rows.
  void gather(const Vector& b, Vector& x) {
    if (rank_ > 0) argument_.noalias() = inverse_.transpose() * b;
    x.setZero(count_);
    for (int k = 0; rank_ > 0 && k < count_; ++k) x[order_[k]] = scale_ * argument_[k];
  }

  bool transposed_;
  int count_, length_, rank_ = 0;
  double scale_ = 1;
  Matrix rows_, inverse_;  // a row of A, and a column of A+, in each column
  Vector c_, b_, d_, d_more_;
  Vector distances_;  // squared, of the rows to come, from the span of those before
  Vector argument_;
  std::vector<int> order_;
};

}  // namespace

PseudoinverseType greville() {
  return {.name = "greville",
          .description = "recursion that adds a row at a time, the most independent first",
          .source = "deFalco, Pennestri, Vita 2009, section 2.5",
          .create = [](int rows, int columns) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<GrevillePseudoinverse>(rows, columns);
          }};
}

}  // namespace bricard::pseudoinverses

// `greville`, `greville-plain`: A+ grows by one row a of A at a time.                      [deFalco-Pennestri-Vita 2.5]
//   d = a A+,  c = a - d A,  b = c / (c c^T) if |c| > threshold * (largest |a|), else d (A+)^T / (1 + d d^T),
//   A <- [A; a],  A+ <- [A+ - b^T d, b^T]
// (the transpose of A+ in the second case is missing in print). `greville-plain` is that. `greville` makes three changes:
// - order: the row farthest from the span of those before goes next, as far as downdated norms can tell, which keeps
//   the intermediate matrices well conditioned: their errors stay in A+;
// - transpose: rows or columns, since (A^T)+ = (A+)^T: whichever are fewer, which is cheaper and avoids a square
//   intermediate;
// - reorthogonalize: c is corrected, e = c A+, c <- c - e A, d <- d + e, until that no longer halves it: after
//   cancellation the first c is not orthogonal to the rows of A, and the error of A+ grows like the square of the
//   condition.
// Even so the recursion fails above conditions of about 1e10, where it takes dependent rows for independent ones.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pseudoinverses/counted.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::pseudoinverses {
namespace {

constexpr int most_corrections = 3;

/// From here on "row" is a column of the matrix if that is transposed.
template <class Scalar>
class GrevilleRecursion {
 public:
  using Numbers = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Columns = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  GrevilleRecursion(int count, int length, const GrevilleChanges& changes)
      : rows(length, count),
        inverse(length, count),
        order(count),
        changes_(changes),
        count_(count),
        c_(length),
        b_(length),
        d_(count),
        d_more_(count),
        distances_(count) {}

  /// Of the matrix in `rows`.
  void run(RankThreshold threshold, double scale) {
    using std::sqrt;
    rank = 0;
    std::iota(order.begin(), order.end(), 0);
    distances_ = rows.colwise().squaredNorm().transpose();
    const Scalar largest = sqrt(distances_.maxCoeff());
    const Scalar least = threshold.absolute ? Scalar(threshold.least(0, scale)) : threshold.value * largest;
    for (int k = 0; k < count_; ++k) append_row(k, least);
  }

  Columns rows, inverse;  // a row of A, and a column of A+, in each column
  std::vector<int> order;
  int rank = 0;

 private:
  void append_row(int k, const Scalar& least) {
    using std::sqrt;
    if (changes_.order) bring_farthest_to(k);
    const auto A = rows.leftCols(k);  // transposed
    auto A_plus = inverse.leftCols(k);
    auto d = d_.head(k);
    d.noalias() = counted_product(A_plus.transpose(), rows.col(k));
    c_ = rows.col(k);
    c_.noalias() -= counted_product(A, d);
    if (changes_.reorthogonalize) correct(k);

    const Scalar c_c = c_.squaredNorm();
    if (sqrt(c_c) > least) {
      ++rank;
      b_ = c_ / c_c;
      if (changes_.order) downdate_distances(k, c_c);
    } else {
      b_.noalias() = counted_product(A_plus, d);
      b_ /= 1 + d.squaredNorm();
    }
    A_plus.noalias() -= b_ * d.transpose();
    inverse.col(k) = b_;
  }

  void bring_farthest_to(int k) {
    Eigen::Index next;
    distances_.tail(count_ - k).maxCoeff(&next);
    next += k;
    rows.col(k).swap(rows.col(next));
    std::swap(distances_[k], distances_[next]);
    std::swap(order[k], order[next]);
  }

  void downdate_distances(int k, const Scalar& c_c) {
    const int others = count_ - k - 1;
    d_more_.head(others).noalias() = counted_product(rows.rightCols(others).transpose(), c_);
    distances_.tail(others).array() -= d_more_.head(others).array().square() / c_c;
  }

  void correct(int k) {
    for (int pass = 0; pass < most_corrections; ++pass) {
      const Scalar norm = c_.norm();
      auto d_more = d_more_.head(k);
      d_more.noalias() = counted_product(inverse.leftCols(k).transpose(), c_);
      c_.noalias() -= counted_product(rows.leftCols(k), d_more);
      d_.head(k) += d_more;
      if (c_.norm() > norm / 2) break;
    }
  }

  GrevilleChanges changes_;
  int count_;
  Numbers c_, b_, d_, d_more_;
  Numbers distances_;  // squared, of the rows to come, from the span of those before
};

bool transposes(int rows, int columns, const GrevilleChanges& changes) { return changes.transpose && rows > columns; }

class GrevillePseudoinverse : public Pseudoinverse {
 public:
  GrevillePseudoinverse(int rows, int columns, const GrevilleChanges& changes)
      : transposed_(transposes(rows, columns, changes)),
        count_(transposed_ ? columns : rows),
        length_(transposed_ ? rows : columns),
        recursion_(count_, length_, changes),
        argument_(count_) {}

  bool factorize(const Matrix& A, RankThreshold threshold) override {
    recursion_.rank = 0;
    if (A.size() == 0) return true;
    if (!A.allFinite()) return false;
    const double largest = A.cwiseAbs().maxCoeff();
    if (largest == 0) return true;
    // A power of two, exact, so that squares neither overflow nor vanish.
    scale_ = std::ldexp(1.0, std::min(-std::ilogb(largest), 1000));
    if (transposed_) {
      recursion_.rows = scale_ * A;
    } else {
      recursion_.rows = scale_ * A.transpose();
    }
    recursion_.run(threshold, scale_);
    return true;
  }

  void apply(const Vector& b, Vector& x) override { transposed_ ? gather(b, x) : spread(b, x); }

  void apply_transposed(const Vector& b, Vector& x) override { transposed_ ? spread(b, x) : gather(b, x); }

  int rank() const override { return recursion_.rank; }

 private:
  /// x = A+ b of the matrix of rows.
  void spread(const Vector& b, Vector& x) {
    for (int k = 0; rank() > 0 && k < count_; ++k) argument_[k] = scale_ * b[recursion_.order[k]];
    x.setZero(length_);
    if (rank() > 0) x.noalias() += recursion_.inverse * argument_;
  }

  /// x = (A+)^T b of the matrix of rows.
  void gather(const Vector& b, Vector& x) {
    if (rank() > 0) argument_.noalias() = recursion_.inverse.transpose() * b;
    x.setZero(count_);
    for (int k = 0; rank() > 0 && k < count_; ++k) x[recursion_.order[k]] = scale_ * argument_[k];
  }

  bool transposed_;
  int count_, length_;
  double scale_ = 1;
  GrevilleRecursion<double> recursion_;
  Vector argument_;
};

Operations operations_of_greville(const Matrix& A, RankThreshold threshold, const GrevilleChanges& changes) {
  const Matrix rows =
      transposes(static_cast<int>(A.rows()), static_cast<int>(A.cols()), changes) ? A : Matrix(A.transpose());
  GrevilleRecursion<Counted> recursion(static_cast<int>(rows.cols()), static_cast<int>(rows.rows()), changes);
  recursion.rows = rows.cast<Counted>();
  const long before = Counted::operations();
  recursion.run(threshold, 1);
  return {.count = static_cast<double>(Counted::operations() - before)};
}

}  // namespace

PseudoinverseType greville() {
  return {.name = "greville",
          .description = "recursion that adds a row at a time, the most independent first",
          .source = "deFalco, Pennestri, Vita 2009, section 2.5",
          .create = [](int rows, int columns, const PseudoinverseOptions& options) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<GrevillePseudoinverse>(rows, columns, options.greville);
          },
          .operations =
              [](const Matrix& A, RankThreshold threshold) {
                return operations_of_greville(A, threshold, GrevilleChanges::all());
              }};
}

PseudoinverseType greville_plain() {
  return {
      .name = "greville-plain",
      .description = "the same as printed: rows in their order, never columns, one pass for what is left of a row",
      .source = "deFalco, Pennestri, Vita 2009, section 2.5",
      .traits = {.chooses_order = false, .squares_condition = true},
      .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
        return std::make_unique<GrevillePseudoinverse>(rows, columns, GrevilleChanges());
      },
      .operations = [](const Matrix& A,
                       RankThreshold threshold) { return operations_of_greville(A, threshold, GrevilleChanges()); }};
}

}  // namespace bricard::pseudoinverses

// `gram-schmidt`: the least-squares solution of least norm by modified Gram-Schmidt with iterative refinement.
//   A P = Q R  (columns pivoted),  R^T = Z T   =>   A P = Q T^T Z^T,   A+ b = P Z T^-T Q^T b
//                                             [deFalco-Pennestri-Vita 2.2; Wampler, ACM TOMS 5 (1979) 457, 494]
// Columns left with a norm up to threshold * the first pivot's count as dependent and are replaced by their
// projections. With C = A P = U K V^T (U = Q, K = T^T, V = Z; for the transposed problem C = (A P)^T and the roles
// change) refinement corrects x and the residual r of r + C x = b, C^T r = 0, and keeps x in the row space of C:
//   f = b - r - C x,  g = -C^T r,  s = U^T f - K^-T V^T g,  r <- r + f - U s,
//   y = U K^-T V^T x,  h = x - C^T y,  x <- x + V K^-1 s - (h - V V^T h)
// where f, g and h are accumulated in twice the working precision.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pseudoinverses/counted.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard::pseudoinverses {
namespace {

constexpr int most_refinements = 3;

/// start - less - u.v with products split exactly and sums in two parts [Ogita-Rump-Oishi 2005, Dot2].
double accurate_difference(double start, double less, const double* u, const double* v, int size) {
  double high = start, low = 0;
  const auto add = [&](double term) {
    const double sum = high + term, part = sum - high;
    low += (high - (sum - part)) + (term - part);
    high = sum;
  };
  add(-less);
  for (int i = 0; i < size; ++i) {
    const double product = -u[i] * v[i];
    low += std::fma(-u[i], v[i], -product);
    add(product);
  }
  return high + low;
}

template <class Scalar>
class GramSchmidtFactors {
 public:
  using Numbers = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
  using Columns = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  GramSchmidtFactors(int rows, int columns)
      : Q(rows, columns),
        Z(columns, std::min(rows, columns)),
        T(Z.cols(), Z.cols()),
        order(columns),
        R_(Z.cols(), columns),
        row_(columns) {}

  /// A P = Q R. Orthogonalising twice keeps Q orthogonal to round-off whatever the condition of A.
  void factorize_columns(const Matrix& A, RankThreshold threshold, double scale) {
    const int columns = static_cast<int>(Q.cols());
    rank = 0;
    Q = (scale * A).template cast<Scalar>();
    R_.setZero();
    std::iota(order.begin(), order.end(), 0);
    for (; rank < Z.cols(); ++rank) {
      const int k = rank, others = columns - k - 1;
      Eigen::Index pivot;
      Q.rightCols(columns - k).colwise().squaredNorm().maxCoeff(&pivot);
      pivot += k;
      Q.col(k).swap(Q.col(pivot));
      R_.col(k).swap(R_.col(pivot));
      std::swap(order[k], order[pivot]);
      orthogonalize(Q, k, R_);
      R_(k, k) = Q.col(k).norm();
      const Scalar least = threshold.absolute ? Scalar(threshold.least(0, scale)) : threshold.value * R_(0, 0);
      if (!(R_(k, k) > least) || R_(k, k) == 0) break;
      Q.col(k) /= R_(k, k);
      auto components = row_.head(others);
      components.noalias() = counted_product(Q.rightCols(others).transpose(), Q.col(k));
      Q.rightCols(others).noalias() -= Q.col(k) * components.transpose();
      R_.row(k).tail(others) = components.transpose();
    }
  }

  /// R^T = Z T.
  void factorize_rows() {
    T.setZero();
    for (int k = 0; k < rank; ++k) {
      Z.col(k) = R_.row(k).transpose();
      orthogonalize(Z, k, T);
      orthogonalize(Z, k, T);
      T(k, k) = Z.col(k).norm();
      Z.col(k) /= T(k, k);
    }
  }

  Columns Q, Z, T;
  std::vector<int> order;
  int rank = 0;

 private:
  /// Takes from column k its components along the (orthonormal) columns before it, and adds them to column k of R.
  static void orthogonalize(Columns& basis, int k, Columns& triangle) {
    for (int i = 0; i < k; ++i) {
      const Scalar component = basis.col(i).dot(basis.col(k));
      basis.col(k) -= component * basis.col(i);
      triangle(i, k) += component;
    }
  }

  Columns R_;
  Numbers row_;
};

class GramSchmidtPseudoinverse : public Pseudoinverse {
 public:
  GramSchmidtPseudoinverse(int rows, int columns)
      : small_(std::min(rows, columns)),
        left_(rows, columns),
        right_(columns, rows),
        factors_(rows, columns),
        s_(small_),
        t_(small_) {}

  bool factorize(const Matrix& A, RankThreshold threshold) override {
    factors_.rank = 0;
    if (small_ == 0) return true;
    if (!A.allFinite()) return false;
    const double largest = A.cwiseAbs().maxCoeff();
    if (largest == 0) return true;
    // A power of two, exact, so that squares neither overflow nor vanish.
    scale_ = std::ldexp(1.0, std::min(-std::ilogb(largest), 1000));
    factors_.factorize_columns(A, threshold, scale_);
    for (int j = 0; j < right_.size(); ++j) right_.C.col(j) = scale_ * A.col(factors_.order[j]);
    // What is left of the dependent columns is what the threshold drops.
    const int dependent = right_.size() - rank();
    if (rank() < small_) right_.C.rightCols(dependent) -= factors_.Q.rightCols(dependent);
    left_.C = right_.C.transpose();
    factors_.factorize_rows();
    return true;
  }

  void apply(const Vector& b, Vector& x) override {
    if (rank() > 0) {
      left_.given = b;
      solve(left_, factors_.Q, right_, factors_.Z, false);
    }
    x.setZero(right_.size());
    for (int j = 0; rank() > 0 && j < right_.size(); ++j) x[factors_.order[j]] = scale_ * right_.solution[j];
  }

  void apply_transposed(const Vector& b, Vector& x) override {
    for (int j = 0; rank() > 0 && j < right_.size(); ++j) right_.given[j] = b[factors_.order[j]];
    x.setZero(left_.size());
    if (rank() == 0) return;
    solve(right_, factors_.Z, left_, factors_.Q, true);
    x = scale_ * left_.solution;
  }

  int rank() const override { return factors_.rank; }

 private:
  /// The vectors as long as a column of A (left) or a row of A (right), for a right-hand side or a solution there.
  struct Side {
    Side(int size, int other_size)
        : C(other_size, size), given(size), r(size), f(size), y(size), solution(size), g(size), step(size), h(size) {}
    int size() const { return static_cast<int>(given.size()); }

    Matrix C;  // column i belongs to component i of this side: A P on the right, its transpose on the left
    Vector given, r, f, y;
    Vector solution, g, step, h;
  };

  /// s <- T^-1 s or T^-T s
  void solve_T(bool transposed, Vector& s) const {
    const auto T = factors_.T.topLeftCorner(rank(), rank()).triangularView<Eigen::Upper>();
    if (transposed) {
      T.transpose().solveInPlace(s.head(rank()));
    } else {
      T.solveInPlace(s.head(rank()));
    }
  }

  /// The solution on side `to` for the right-hand side given on side `from`. K = T if K_is_T, else T^T.
  void solve(Side& from, const Matrix& U_all, Side& to, const Matrix& V_all, bool K_is_T) {
    const auto U = U_all.leftCols(rank()), V = V_all.leftCols(rank());
    auto s = s_.head(rank()), t = t_.head(rank());
    from.r.setZero();
    to.solution.setZero();
    double last_change = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass <= most_refinements; ++pass) {
      if (pass == 0) {
        from.f = from.given;
        s.noalias() = U.transpose() * from.f;
      } else {
        for (int i = 0; i < from.size(); ++i) {
          from.f[i] =
              accurate_difference(from.given[i], from.r[i], from.C.col(i).data(), to.solution.data(), to.size());
        }
        for (int j = 0; j < to.size(); ++j) {
          to.g[j] = accurate_difference(0, 0, to.C.col(j).data(), from.r.data(), from.size());
        }
        t.noalias() = V.transpose() * to.g;
        solve_T(K_is_T, t_);
        s.noalias() = U.transpose() * from.f;
        s -= t;
      }
      from.r += from.f;
      from.r.noalias() -= U * s;
      solve_T(!K_is_T, s_);
      to.step.noalias() = V * s;
      if (pass > 0 && rank() < to.size()) {
        t.noalias() = V.transpose() * to.solution;
        solve_T(K_is_T, t_);
        from.y.noalias() = U * t;
        for (int j = 0; j < to.size(); ++j) {
          to.h[j] = accurate_difference(to.solution[j], 0, to.C.col(j).data(), from.y.data(), from.size());
        }
        t.noalias() = V.transpose() * to.h;
        to.step -= to.h;
        to.step.noalias() += V * t;
      }
      const double change = to.step.norm();
      if (!(change < last_change / 2)) break;  // refinement has reached what the condition allows
      to.solution += to.step;
      if (change <= std::numeric_limits<double>::epsilon() * to.solution.norm()) break;
      last_change = change;
    }
  }

  int small_;
  double scale_ = 1;
  Side left_, right_;
  GramSchmidtFactors<double> factors_;
  Vector s_, t_;
};

/// Without the refinement, which is in twice the precision: A+ = P Z T^-T Q^T.
Operations operations_of_gram_schmidt(const Matrix& A, RankThreshold threshold) {
  GramSchmidtFactors<Counted> factors(static_cast<int>(A.rows()), static_cast<int>(A.cols()));
  const long before = Counted::operations();
  factors.factorize_columns(A, threshold, 1);
  factors.factorize_rows();
  const auto T = factors.T.topLeftCorner(factors.rank, factors.rank).triangularView<Eigen::Upper>();
  GramSchmidtFactors<Counted>::Columns components = factors.Q.leftCols(factors.rank).transpose();
  T.transpose().solveInPlace(components);
  const GramSchmidtFactors<Counted>::Columns inverse = factors.Z.leftCols(factors.rank).lazyProduct(components);
  return {.count = static_cast<double>(Counted::operations() - before)};
}

}  // namespace

PseudoinverseType gram_schmidt() {
  return {.name = "gram-schmidt",
          .description = "least squares of least norm by modified Gram-Schmidt with iterative refinement",
          .source = "deFalco, Pennestri, Vita 2009, section 2.2; Wampler 1979",
          .create = [](int rows, int columns, const PseudoinverseOptions&) -> std::unique_ptr<Pseudoinverse> {
            return std::make_unique<GramSchmidtPseudoinverse>(rows, columns);
          },
          .operations = operations_of_gram_schmidt};
}

}  // namespace bricard::pseudoinverses

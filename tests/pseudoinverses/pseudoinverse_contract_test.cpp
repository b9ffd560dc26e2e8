// What every pseudoinverse of the list promises: the four Penrose conditions, the rank, A+ and its transpose, for any
// shape and, unless its traits say otherwise, any rank, within stated bounds, without allocating. Traits are tried both
// ways.
#include "pseudoinverses/pseudoinverse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bricard/input_error.h"
#include "support/allocation_counter.h"

namespace bricard {
namespace pseudoinverse_contract_test {

constexpr double eps = std::numeric_limits<double>::epsilon();

Matrix random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  return Matrix::NullaryExpr(rows, columns, [&](Eigen::Index, Eigen::Index) { return uniform(generator); });
}

/// Full rank: uniform entries. Deficient: a product of two such matrices, scaled to entries of order one.
Matrix random_matrix(int rows, int columns, int rank, unsigned seed) {
  if (rank == std::min(rows, columns)) return random_matrix(rows, columns, seed);
  return random_matrix(rows, rank, seed) * random_matrix(rank, columns, seed + 1000) / std::sqrt(rank);
}

Matrix orthonormal_columns(int rows, int columns, unsigned seed) {
  const Eigen::HouseholderQR<Matrix> qr(random_matrix(rows, columns, seed));
  return qr.householderQ() * Matrix::Identity(rows, columns);
}

Matrix with_singular_values(int rows, int columns, const Vector& s, unsigned seed) {
  const int count = static_cast<int>(s.size());
  const Matrix V = orthonormal_columns(columns, count, seed + 1000);
  return orthonormal_columns(rows, count, seed) * s.asDiagonal() * V.transpose();
}

/// From 1 down to 1/condition, in equal ratios.
Vector graded(int count, double condition) {
  return Vector::NullaryExpr(count, [&](Eigen::Index k) { return std::pow(condition, -double(k) / (count - 1)); });
}

template <class Scalar>
using MatrixOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

/// A+ of the given rank by Eigen's Jacobi rotations, which share no code with what is tested.
template <class Scalar>
MatrixOf<Scalar> reference(const Matrix& A, int rank) {
  const Eigen::JacobiSVD<MatrixOf<Scalar>> svd(A.cast<Scalar>(), Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixV().leftCols(rank) * svd.singularValues().head(rank).cwiseInverse().asDiagonal() *
         svd.matrixU().leftCols(rank).transpose();
}

double largest(const Matrix& A) { return A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0; }

struct Shape {
  int rows, columns, rank;
};

class PseudoinverseContract : public ::testing::TestWithParam<std::string> {
 protected:
  static const PseudoinverseTraits& traits() { return find_pseudoinverse_type(GetParam())->traits; }
  static bool takes(const Shape& shape) {
    return traits().any_rank || shape.rank == std::min(shape.rows, shape.columns);
  }
  static bool takes_rounding_for_rows() { return traits().squares_condition && traits().decides_rank; }
  /// By how much errors may be larger: of most, errors are like eps cond(A); of some, like eps cond(A)^2.
  static double allowance(const Matrix& A, int rank) {
    if (!traits().squares_condition) return 1;
    const Vector s = Eigen::JacobiSVD<Matrix>(A).singularValues();
    return s[0] / s[rank - 1];
  }
  static std::unique_ptr<Pseudoinverse> create(const Matrix& A) {
    return find_pseudoinverse_type(GetParam())->create(static_cast<int>(A.rows()), static_cast<int>(A.cols()), {});
  }
  static std::unique_ptr<Pseudoinverse> factorized(const Matrix& A, RankThreshold threshold = 1e-11) {
    auto pseudoinverse = create(A);
    EXPECT_TRUE(pseudoinverse->factorize(A, threshold));
    return pseudoinverse;
  }
  /// A+, column by column.
  static Matrix inverse_of(const Matrix& A, Pseudoinverse& pseudoinverse) {
    Matrix result(A.cols(), A.rows());
    Vector x(A.cols());
    for (int i = 0; i < A.rows(); ++i) {
      pseudoinverse.apply(Vector::Unit(A.rows(), i), x);
      result.col(i) = x;
    }
    return result;
  }
  /// (A+)^T, column by column.
  static Matrix transposed_inverse_of(const Matrix& A, Pseudoinverse& pseudoinverse) {
    Matrix result(A.rows(), A.cols());
    Vector x(A.rows());
    for (int j = 0; j < A.cols(); ++j) {
      pseudoinverse.apply_transposed(Vector::Unit(A.cols(), j), x);
      result.col(j) = x;
    }
    return result;
  }
};

void expect_penrose_conditions(const Matrix& A, const Matrix& X, double allowance = 1) {
  const Matrix AX = A * X, XA = X * A;
  EXPECT_LT(largest(AX * A - A), 1e-10 * allowance);
  EXPECT_LT(largest(XA * X - X), 1e-10 * allowance * std::max(1.0, largest(X)));
  EXPECT_LT(largest(AX - AX.transpose()), 1e-10 * allowance);
  EXPECT_LT(largest(XA - XA.transpose()), 1e-10 * allowance);
}

/// The largest violation of the four conditions.
double penrose_error(const Matrix& A, const Matrix& X) {
  const Matrix AX = A * X, XA = X * A;
  return std::max(
      {largest(AX * A - A), largest(XA * X - X), largest(AX - AX.transpose()), largest(XA - XA.transpose())});
}

/// D = P M^-1/2 of the five-bar of de Falco, Pennestri and Vita with its links at an angle to the x axis: 12 x 12, rank
/// 11. The coupler does not turn: numbered last, its angle is an independent column after the one that depends.
Matrix five_bar(double angle, bool coupler_first) {
  Matrix D = Matrix::Zero(12, 12);
  const double c = std::cos(angle) / 2, s = std::sin(angle) / 2;
  const int coupler = coupler_first ? 0 : 9;
  for (int link = 0; link < 3; ++link) {
    const int column = 3 * link + (coupler_first ? 3 : 0), ground = 2 * link, tip = 6 + 2 * link;
    D.block<2, 3>(ground, column) << 1, 0, s, 0, 1, -c;
    D.block<2, 3>(tip, column) << 1, 0, -s, 0, 1, c;
    D.block<2, 3>(tip, coupler) << -1, 0, 0, 0, -1, 1 - link;
    D.middleCols<3>(column) *= Vec3(1, 1, 1 / std::sqrt(0.1)).asDiagonal();
  }
  D.middleCols<3>(coupler) *= Vec3(1 / std::sqrt(2.0), 1 / std::sqrt(2.0), 1 / std::sqrt(0.2)).asDiagonal();
  return D;
}

TEST_P(PseudoinverseContract, PenroseConditionsAndRank) {
  for (const auto& [rows, columns, rank] : {Shape{1, 1, 1},
                                            {1, 7, 1},
                                            {7, 1, 1},
                                            {2, 2, 1},
                                            {12, 12, 12},
                                            {12, 12, 11},
                                            {30, 20, 20},
                                            {20, 30, 20},
                                            {30, 20, 13},
                                            {20, 30, 13},
                                            {40, 40, 1},
                                            {60, 60, 60},
                                            {60, 60, 59},
                                            {5, 80, 3},
                                            {80, 5, 3}}) {
    if (!takes({rows, columns, rank})) continue;
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", rank " << rank << ", seed " << seed);
      const Matrix A = random_matrix(rows, columns, rank, seed);
      const auto pseudoinverse = factorized(A);
      EXPECT_EQ(pseudoinverse->rank(), rank);
      expect_penrose_conditions(A, inverse_of(A, *pseudoinverse), allowance(A, rank));
    }
  }
}

TEST_P(PseudoinverseContract, PenroseConditionsAndRankOfLargeMatrices) {
  for (const auto& [rows, columns, rank] :
       {Shape{200, 200, 200}, {200, 200, 120}, {200, 80, 80}, {80, 200, 80}, {110, 200, 60}, {200, 110, 109}}) {
    SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", rank " << rank);
    if (!takes({rows, columns, rank})) continue;
    const Matrix A = random_matrix(rows, columns, rank, 5);
    const auto pseudoinverse = factorized(A);
    EXPECT_EQ(pseudoinverse->rank(), rank);
    expect_penrose_conditions(A, inverse_of(A, *pseudoinverse), allowance(A, rank));
  }
}

TEST_P(PseudoinverseContract, AgreesWithJacobiRotationsAndItsTranspose) {
  for (const auto& [rows, columns, rank] :
       {Shape{6, 6, 6}, {25, 25, 25}, {25, 25, 18}, {30, 12, 12}, {12, 30, 12}, {30, 12, 7}, {12, 30, 7}}) {
    if (!takes({rows, columns, rank})) continue;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", rank " << rank << ", seed " << seed);
      const Matrix A = random_matrix(rows, columns, rank, seed);
      const Matrix expected = reference<double>(A, rank);
      const auto pseudoinverse = factorized(A), of_transposed = factorized(A.transpose());
      const double bound = 1e-11 * allowance(A, rank) * largest(expected);
      EXPECT_LT(largest(inverse_of(A, *pseudoinverse) - expected), bound);
      EXPECT_LT(largest(transposed_inverse_of(A, *pseudoinverse) - expected.transpose()), bound);
      EXPECT_LT(largest(inverse_of(A.transpose(), *of_transposed) - expected.transpose()), bound);
      EXPECT_EQ(of_transposed->rank(), rank);
    }
  }
}

// A backward stable method gives the pseudoinverse of A + dA, |dA| = c eps |A|, and for equal rank (Wedin)
//   |(A + dA)+ - A+| <= (1 + sqrt 5)/2 |A+| |(A + dA)+| |dA|   =>   error / |A+| <= about 1.6 c eps cond(A).
// Greville's recursion has no such proof. Found, as the largest error / |A+| (Frobenius) in the cases below, against
// Jacobi rotations in long double:
//   condition      1e3      1e6      1e8
//   svd            4e-14    2e-11    3e-9
//   varga          3e-14    2e-11    3e-9
//   greville       2e-14    2e-11    2e-9     (without its corrections of d: 8e-13, 1e-7, 7: eps cond^2)
//   householder    3e-14    2e-11    3e-9
//   gram-schmidt   6e-17    2e-14    6e-12    (5e-17 throughout in quadruple precision: the rest is the reference's)
//   eps cond       2e-13    2e-10    2e-8
// Those that square the condition must be seen to do so, and are not tried where that leaves no digit; nor with rows that
// depend on others if that rounding decides the rank.
TEST_P(PseudoinverseContract, ErrorGrowsLikeTheCondition) {
  const bool squares = traits().squares_condition;
  for (const double condition : squares ? std::vector{1e3, 1e6} : std::vector{1e3, 1e6, 1e8}) {
    double error = 0;
    for (const auto& [rows, columns, rank] : {Shape{30, 30, 30}, {45, 30, 30}, {30, 45, 30}}) {
      if (rows > columns && takes_rounding_for_rows()) continue;
      for (unsigned seed = 1; seed <= 2; ++seed) {
        const Matrix A = with_singular_values(rows, columns, graded(rank, condition), seed);
        const auto expected = reference<long double>(A, rank);
        const auto pseudoinverse = factorized(A);
        EXPECT_EQ(pseudoinverse->rank(), rank);
        const Matrix X = inverse_of(A, *pseudoinverse), Y = transposed_inverse_of(A, *pseudoinverse).transpose();
        for (const Matrix* found : {&X, &Y}) {
          error = std::max(error, double((found->cast<long double>() - expected).norm() / expected.norm()));
        }
      }
    }
    // A recursion without correction adds the errors of its 30 rows.
    const double steps = takes_rounding_for_rows() ? 30 : 1;
    EXPECT_LT(error, 4 * eps * condition * steps * (squares ? condition : 1)) << "condition " << condition;
    if (squares) {
      EXPECT_GT(error, (condition > 1e5 ? 100 : 1) * eps * condition) << "condition " << condition;
    }
    if (GetParam() == "gram-schmidt") {
      // Refinement in twice the precision leaves the rounding of the result; the rest is the reference's own error.
      EXPECT_LT(error, 4 * (eps + condition * std::numeric_limits<long double>::epsilon()))
          << "condition " << condition;
    }
  }
}

// The threshold is relative to the largest singular value. svd compares with it exactly. The others compare pivots,
// which stay within a factor of about sqrt(n) of the singular values: an order of magnitude for these matrices.
// A method may drop another direction than the singular one, which changes A+ by about the dropped value.
// Without an order of its own the pivots that come last may be larger than the singular value by more.
TEST_P(PseudoinverseContract, ThresholdDecidesTheRank) {
  if (!traits().decides_rank) GTEST_SKIP() << "takes the rank for full";
  const double margin = GetParam() == "svd" ? 1.001 : traits().chooses_order ? 10 : 500;
  for (const double threshold : {1e-3, 1e-6, 1e-9}) {
    for (const auto& [rows, columns, rank] : {Shape{15, 15, 15}, {20, 15, 15}, {15, 20, 15}}) {
      if (rows > columns && takes_rounding_for_rows()) continue;
      for (unsigned seed = 1; seed <= 5; ++seed) {
        SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", " << threshold << ", seed " << seed);
        for (const double scale : {1e-3, 1.0, 1e3}) {
          Vector s = scale * graded(rank, 10);
          s[rank - 1] = scale * threshold * margin;
          EXPECT_EQ(factorized(with_singular_values(rows, columns, s, seed), threshold)->rank(), rank);
          s[rank - 1] = scale * threshold / margin;
          const Matrix A = with_singular_values(rows, columns, s, seed);
          const auto pseudoinverse = factorized(A, threshold);
          EXPECT_EQ(pseudoinverse->rank(), rank - 1);
          const Matrix expected = reference<double>(A, rank - 1);
          EXPECT_LT((inverse_of(A, *pseudoinverse) - expected).norm(), 100 * threshold * expected.norm());
        }
      }
    }
  }
}

// Whatever is dropped, what remains is the pseudoinverse of a matrix of the reported rank near A.
TEST_P(PseudoinverseContract, AnAbsoluteThresholdIsComparedWithTheValuesThemselves) {
  if (!traits().decides_rank) GTEST_SKIP() << "takes the rank for full";
  for (const double scale : {1e-3, 1e4}) {
    Vector s = scale * graded(15, 10);
    for (const double last : {1e-4, 1e-8}) {
      s[14] = last;
      const Matrix A = with_singular_values(15, 18, s, 3);
      EXPECT_EQ(factorized(A, {1e-6, true})->rank(), last > 1e-6 ? 15 : 14) << scale;
    }
  }
}

TEST_P(PseudoinverseContract, TruncationGivesThePseudoinverseOfANearbyMatrix) {
  if (!traits().decides_rank) GTEST_SKIP() << "takes the rank for full";
  Vector s = graded(20, 10);
  s.tail(6) *= 1e-5;
  for (const auto& [rows, columns, rank] : {Shape{20, 20, 14}, {30, 20, 14}, {20, 30, 14}}) {
    const Matrix A = with_singular_values(rows, columns, s, 7);
    const auto pseudoinverse = factorized(A, 1e-4);
    ASSERT_EQ(pseudoinverse->rank(), rank);
    const Matrix X = inverse_of(A, *pseudoinverse), Y = transposed_inverse_of(A, *pseudoinverse);
    EXPECT_LT(largest(X - Y.transpose()), 1e-10 * largest(X));
    const Matrix truncated = reference<double>(X, rank);  // the matrix whose pseudoinverse X is
    expect_penrose_conditions(truncated, X);
    EXPECT_LT(largest(A - truncated), 1e-4);
  }
}

TEST_P(PseudoinverseContract, SolvesLeastSquaresWithLeastNorm) {
  for (const auto& [rows, columns, rank] :
       {Shape{30, 18, 18}, {30, 18, 11}, {18, 30, 18}, {18, 30, 11}, {24, 24, 15}}) {
    SCOPED_TRACE(::testing::Message() << rows << " x " << columns << ", rank " << rank);
    if (!takes({rows, columns, rank})) continue;
    const Matrix A = random_matrix(rows, columns, rank, 3);
    const double bound = 1e-11 * allowance(A, rank);
    const Vector b = random_matrix(rows, 1, 4), c = random_matrix(columns, 1, 5);
    const Eigen::JacobiSVD<Matrix> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const auto pseudoinverse = factorized(A);
    Vector x(columns), y(rows);
    pseudoinverse->apply(b, x);
    pseudoinverse->apply_transposed(c, y);
    EXPECT_LT(largest(A.transpose() * (b - A * x)), bound);
    EXPECT_LT(largest(svd.matrixV().rightCols(columns - rank).transpose() * x), bound);  // nothing in the null space
    EXPECT_LT(largest(A * (c - A.transpose() * y)), bound);
    EXPECT_LT(largest(svd.matrixU().rightCols(rows - rank).transpose() * y), bound);
  }
}

TEST_P(PseudoinverseContract, TakesEmptyMatrices) {
  for (const auto& [rows, columns, rank] : {Shape{0, 0, 0}, {0, 4, 0}, {4, 0, 0}}) {
    const auto pseudoinverse = factorized(Matrix(rows, columns));
    EXPECT_EQ(pseudoinverse->rank(), rank);
    Vector x, y;
    pseudoinverse->apply(Vector::Ones(rows), x);
    pseudoinverse->apply_transposed(Vector::Ones(columns), y);
    EXPECT_EQ(x, Vector(Vector::Zero(columns)));
    EXPECT_EQ(y, Vector(Vector::Zero(rows)));
  }
}

TEST_P(PseudoinverseContract, ZeroHasRankZeroAlsoAfterOtherMatrices) {
  for (const auto& [rows, columns, rank] : {Shape{4, 4, 3}, {3, 6, 3}, {6, 3, 2}}) {
    if (!takes({rows, columns, rank}) || !traits().decides_rank) continue;
    const Matrix A = random_matrix(rows, columns, rank, 1);
    const auto pseudoinverse = create(A);
    for (int round = 0; round < 2; ++round) {
      EXPECT_TRUE(pseudoinverse->factorize(Matrix::Zero(rows, columns), 1e-9));
      EXPECT_EQ(pseudoinverse->rank(), 0);
      EXPECT_EQ(inverse_of(A, *pseudoinverse), Matrix(Matrix::Zero(columns, rows)));
      EXPECT_EQ(transposed_inverse_of(A, *pseudoinverse), Matrix(Matrix::Zero(rows, columns)));
      EXPECT_TRUE(pseudoinverse->factorize(A, 1e-9));
      EXPECT_EQ(pseudoinverse->rank(), rank);
      expect_penrose_conditions(A, inverse_of(A, *pseudoinverse), allowance(A, rank));
    }
  }
}

TEST_P(PseudoinverseContract, RefusesWhatIsNotFiniteAndRecovers) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix A = random_matrix(6, 5, 2);
    const auto pseudoinverse = create(A);
    const double kept = std::exchange(A(4, 3), bad);
    EXPECT_FALSE(pseudoinverse->factorize(A, 1e-9));
    A(4, 3) = kept;
    EXPECT_TRUE(pseudoinverse->factorize(A, 1e-9));
    EXPECT_EQ(pseudoinverse->rank(), 5);
    expect_penrose_conditions(A, inverse_of(A, *pseudoinverse), allowance(A, 5));
  }
}

TEST_P(PseudoinverseContract, ScaleDoesNotMatter) {
  const int rank = traits().any_rank ? 6 : 9;
  const Matrix A = random_matrix(12, 9, rank, 8);
  const Matrix expected = reference<double>(A, rank);
  const double bound = 1e-12 * allowance(A, rank);
  for (const double scale : {1e-200, 1e-12, 1e12, 1e200}) {
    const auto pseudoinverse = factorized(scale * A);
    EXPECT_EQ(pseudoinverse->rank(), rank) << scale;
    EXPECT_LT(largest(inverse_of(A, *pseudoinverse) * scale - expected), bound) << scale;
    EXPECT_LT(largest(transposed_inverse_of(A, *pseudoinverse) * scale - expected.transpose()), bound) << scale;
  }
}

TEST_P(PseudoinverseContract, ArgumentMayBeTheResult) {
  const Matrix A = random_matrix(8, 8, traits().any_rank ? 6 : 8, 9);
  const auto pseudoinverse = factorized(A);
  const Vector b = random_matrix(8, 1, 10);
  Vector x(8), y = b;
  pseudoinverse->apply(b, x);
  pseudoinverse->apply(y, y);
  EXPECT_EQ(x, y);
  pseudoinverse->apply_transposed(b, x);
  y = b;
  pseudoinverse->apply_transposed(y, y);
  EXPECT_EQ(x, y);
}

// Ranks that are missing in awkward places. Who takes them has A+; who says that it does not is wrong, or says so, with
// one of them at least.
TEST_P(PseudoinverseContract, TakesMissingRankAsItsTraitsSay) {
  Matrix small(3, 3), row(1, 2);
  small << 1, 1, 0, 1, 1, 1, 1, 1, 2;
  row << 0, 1;
  double worst = 0;
  for (const Matrix& A : {small, row, five_bar(1, false), five_bar(1, true), five_bar(2.2, false)}) {
    const auto pseudoinverse = create(A);
    if (!pseudoinverse->factorize(A, 1e-10)) {
      worst = std::numeric_limits<double>::infinity();
    } else {
      worst = std::max(worst, penrose_error(A, inverse_of(A, *pseudoinverse)));
    }
  }
  if (traits().any_rank) {
    EXPECT_LT(worst, 1e-12);
  } else {
    EXPECT_GT(worst, 0.1);
  }
}

TEST_P(PseudoinverseContract, CountsItsOperations) {
  const PseudoinverseType& type = *find_pseudoinverse_type(GetParam());
  const Matrix A = random_matrix(10, 10, 1), larger = random_matrix(40, 40, 1);
  const double few = type.operations(A, 1e-11).count, many = type.operations(larger, 1e-11).count;
  // At least as much as to multiply three such matrices once, and cubic.
  EXPECT_GT(few, 2 * 1e3);
  EXPECT_LT(few, 50 * 1e3);
  EXPECT_NEAR(std::log(many / few) / std::log(4), 3, 0.15);
}

TEST_P(PseudoinverseContract, DoesNotAllocateOnceConstructed) {
  for (const auto& [rows, columns, rank] :
       {Shape{12, 12, 11}, {60, 60, 60}, {40, 70, 30}, {70, 40, 30}, {200, 200, 150}}) {
    const Matrix A = random_matrix(rows, columns, rank, 6), full = random_matrix(rows, columns, 7);
    const auto pseudoinverse = create(A);
    Vector left = Vector::Ones(rows), right = Vector::Ones(columns);
    pseudoinverse->factorize(A, 1e-9);  // libraries may set themselves up once
    const AllocationCounter counter;
    for (const Matrix* matrix : {&A, &full}) {
      pseudoinverse->factorize(*matrix, 1e-9);
      pseudoinverse->apply(left, right);
      pseudoinverse->apply_transposed(right, left);
    }
    EXPECT_EQ(counter.count(), 0) << rows << " x " << columns;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const PseudoinverseType& type : pseudoinverse_types()) all.push_back(type.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Every, PseudoinverseContract, ::testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

Matrix by_greville(const Matrix& A, const std::string& changes) {
  const auto rows = static_cast<int>(A.rows()), columns = static_cast<int>(A.cols());
  const auto greville =
      find_pseudoinverse_type("greville")->create(rows, columns, {.greville = read_greville_changes(changes)});
  EXPECT_TRUE(greville->factorize(A, 1e-11));
  return dense(*greville, rows, columns);
}

TEST(Greville, EachChangeOfThePrintedAlgorithmCanBeSwitchedOff) {
  const Matrix A = with_singular_values(40, 20, graded(20, 1e6), 1);
  const Matrix expected = reference<double>(A, 20);
  const auto error = [&](const Matrix& X) { return (X - expected).norm() / expected.norm(); };
  const Matrix plain = by_greville(A.transpose(), "none");
  const auto printed = find_pseudoinverse_type("greville-plain")->create(20, 40, {});
  EXPECT_TRUE(printed->factorize(A.transpose(), 1e-11));
  EXPECT_EQ(plain, dense(*printed, 20, 40));
  EXPECT_NE(by_greville(A.transpose(), "order"), plain);
  // 20 columns in place of 40 rows.
  EXPECT_EQ(by_greville(A, "transpose"), Matrix(plain.transpose()));
  EXPECT_NE(by_greville(A, "none"), Matrix(plain.transpose()));
  EXPECT_EQ(by_greville(A, "all"), by_greville(A, "order, transpose,reorthogonalize"));
  // The correction of c is what saves digits.
  EXPECT_GT(error(plain.transpose()), 1e-9);
  EXPECT_LT(error(by_greville(A, "transpose,reorthogonalize")), 1e-9);
  EXPECT_THROW(read_greville_changes("order,pivot"), InputError);
}

// [1 1 0; 1 1 1; 1 1 2] has A+ = [5 2 -1; 5 2 -1; -6 0 6]/12. The second column is the first: R_22 = 0, and its row is
// not.
TEST(Varga, WithoutPivotingMissesADependentColumnThatIsNotTheLast) {
  Matrix A(3, 3), inverse(3, 3);
  A << 1, 1, 0, 1, 1, 1, 1, 1, 2;
  inverse << 5, 2, -1, 5, 2, -1, -6, 0, 6;
  inverse /= 12;
  const auto error = [&](const char* name) {
    const auto pseudoinverse = find_pseudoinverse_type(name)->create(3, 3, {});
    EXPECT_TRUE(pseudoinverse->factorize(A, 1e-10));
    return largest(dense(*pseudoinverse, 3, 3) - inverse);
  };
  EXPECT_LT(error("varga"), 1e-14);
  EXPECT_GT(error("varga-unpivoted"), 0.1);
}

TEST(Varga, WithoutPivotingDependsOnTheOrderOfTheColumns) {
  const auto error = [](const char* name, bool coupler_first) {
    const Matrix D = five_bar(1, coupler_first);
    const auto pseudoinverse = find_pseudoinverse_type(name)->create(12, 12, {});
    EXPECT_TRUE(pseudoinverse->factorize(D, 1e-10));
    return penrose_error(D, dense(*pseudoinverse, 12, 12));
  };
  EXPECT_GT(error("varga-unpivoted", false), 1e-3);  // how large it is, rounding decides
  EXPECT_LT(error("varga-unpivoted", true), 2e-14);
  EXPECT_LT(error("varga", false), 2e-14);
  EXPECT_LT(error("varga", true), 2e-14);
}

// With threshold 0 the rounding of a dependent row, c = 4e-16, is taken for a row.
TEST(Greville, AsPrintedTakesRoundingForARowIfTheThresholdIsZero) {
  const Matrix D = five_bar(1, false);
  const auto greville = find_pseudoinverse_type("greville-plain")->create(12, 12, {});
  EXPECT_TRUE(greville->factorize(D, 0.0));
  EXPECT_EQ(greville->rank(), 12);
  EXPECT_GT(largest(dense(*greville, 12, 12)), 1e12);
  EXPECT_TRUE(greville->factorize(D, 1e-10));
  EXPECT_EQ(greville->rank(), 11);
  EXPECT_LT(penrose_error(D, dense(*greville, 12, 12)), 2e-14);
}

TEST(PseudoinverseList, FindsEachByItsName) {
  for (const char* name : {"svd", "varga", "greville", "householder", "gram-schmidt", "varga-unpivoted",
                           "greville-plain", "left-inverse", "right-inverse", "normal-equations", "augmented"}) {
    const PseudoinverseType* type = find_pseudoinverse_type(name);
    ASSERT_NE(type, nullptr) << name;
    EXPECT_STREQ(type->name, name);
  }
  EXPECT_EQ(find_pseudoinverse_type("gram_schmidt"), nullptr);
}

}  // namespace pseudoinverse_contract_test
}  // namespace bricard

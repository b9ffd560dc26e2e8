// Sparse null spaces whose vectors are known, and what happens when memory runs out in the middle.
#include "linear/sparse_triangle.h"

#include <gtest/gtest.h>
#include <suitesparse/SuiteSparse_config.h>

#include <cstdlib>
#include <new>
#include <random>

#include "linear/minimum_norm.h"

namespace bricard {
namespace sparse_triangle_test {

constexpr double threshold = 1e-8;

/// `groups` blocks of 4 columns in 3 new rows each, of rank 3; each block also has an entry in a row of its neighbour.
SparseColumns ladder(int groups) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Eigen::Triplet<double>> entries;
  for (int g = 0; g < groups; ++g) {
    Matrix block(4, 4);
    for (double& value : block.reshaped()) value = number(random);
    block.diagonal().array() += 4;  // a good condition: what is not zero is not small
    block.col(3) = block.leftCols(3) * Vec3(1, -2, 0.5);
    for (int row = 0; row < 4; ++row) {
      for (int column = 0; column < 4; ++column)
        entries.emplace_back((3 * g + row) % (3 * groups + 1), 4 * g + column, block(row, column));
    }
  }
  SparseColumns A(3 * groups + 1, 4 * groups);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

TEST(SparseTriangle, NullSpaceHasTheNullityAndFewEntries) {
  const SparseColumns A = ladder(300);
  const SparseColumns N = sparse_null_space(A, threshold);
  ASSERT_EQ(N.cols(), 300);
  EXPECT_LT(Matrix(A * N).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(Eigen::ColPivHouseholderQR<Matrix>(Matrix(N)).rank(), 300);
  // Each dependent column lies in its own block: 4 entries, whatever the order of the elimination.
  EXPECT_LE(N.nonZeros(), 300 * 4);
}

/// Rungs between two rails, each rail and each rung a column between two rows: a closed loop for each rung but one.
SparseColumns rails(int rungs) {
  std::vector<Eigen::Triplet<double>> entries;
  int columns = 0;
  const auto join = [&](int a, int b) {
    entries.emplace_back(a, columns, 1);
    entries.emplace_back(b, columns++, -1);
  };
  for (int k = 0; k < rungs; ++k) {
    if (k > 0) join(2 * k - 2, 2 * k), join(2 * k - 1, 2 * k + 1);
    join(2 * k, 2 * k + 1);
  }
  SparseColumns A(2 * rungs, columns);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

TEST(SparseTriangle, LongChainsOfLoopsHaveShortVectors) {
  // Twice the loops, twice the numbers and a little more: were each made of all before it, four times.
  const auto numbers = [](int rungs) {
    const SparseColumns N = sparse_null_space(rails(rungs), threshold);
    EXPECT_EQ(N.cols(), rungs - 1);
    EXPECT_LT(SparseColumns(rails(rungs) * N).norm(), 1e-10);
    return static_cast<double>(N.nonZeros());
  };
  EXPECT_LT(numbers(2000), 2.3 * numbers(1000));
  EXPECT_LT(numbers(2000), 2000 * 40);
}

TEST(SparseTriangle, MatricesOfNothing) {
  EXPECT_EQ(sparse_null_space(SparseColumns(0, 3), threshold).cols(), 3);
  EXPECT_EQ(sparse_null_space(SparseColumns(3, 0), threshold).cols(), 0);
  EXPECT_EQ(triangle_of(SparseColumns(5, 4), threshold).rank, 0);
}

TEST(SparseTriangle, LargeRowsHaveTheSameNullSpaceAsSmallOnes) {
  const SparseColumns A = ladder(200);  // 800 columns: beyond the dense decomposition
  MinimumNorm rows;
  rows.factorize(SparseRows(A.transpose()), threshold);
  EXPECT_EQ(rows.rank(), 600);
  const Matrix N = rows.row_null_space();
  ASSERT_EQ(N.cols(), 200);
  EXPECT_LT((A * N).cwiseAbs().maxCoeff(), 1e-10);
}

long allocations_left = -1;  // negative: all succeed
void* failing_malloc(std::size_t size) { return allocations_left-- == 0 ? nullptr : std::malloc(size); }
void* failing_calloc(std::size_t count, std::size_t size) {
  return allocations_left-- == 0 ? nullptr : std::calloc(count, size);
}
void* failing_realloc(void* memory, std::size_t size) {
  return allocations_left-- == 0 ? nullptr : std::realloc(memory, size);
}

/// The allocations of SuiteSparse, one of which fails.
struct OneFailure {
  explicit OneFailure(long which) {
    allocations_left = which;
    SuiteSparse_config.malloc_func = failing_malloc;
    SuiteSparse_config.calloc_func = failing_calloc;
    SuiteSparse_config.realloc_func = failing_realloc;
  }
  ~OneFailure() {
    SuiteSparse_config.malloc_func = std::malloc;
    SuiteSparse_config.calloc_func = std::calloc;
    SuiteSparse_config.realloc_func = std::realloc;
    allocations_left = -1;
  }
};

TEST(SparseTriangle, EveryFailedAllocationIsToldAsSuch) {
  const SparseColumns A = ladder(150);
  const SparseRows rows(A.transpose());
  int told = 0;
  for (long which = 0; which < 400; ++which) {
    const OneFailure failure(which);
    bool failed = false;
    try {
      MinimumNorm factor;
      factor.factorize(rows, threshold);
      Vector x;
      factor.solve(Vector::Ones(rows.rows()), x);
      EXPECT_EQ(factor.sparse_row_null_space().cols(), 150);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    told += failed;
    if (allocations_left >= 0) {  // none failed any more: all of them have been tried
      EXPECT_FALSE(failed);
      EXPECT_GT(told, 10);
      return;
    }
  }
  EXPECT_GT(told, 10);
}

}  // namespace sparse_triangle_test
}  // namespace bricard

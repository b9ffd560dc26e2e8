// Block Cholesky against Eigen's dense one, on random graphs of blocks of mixed and of common sizes.
#include "linear/block/block_cholesky.h"

#include <gtest/gtest.h>

#include <random>

#include "bricard/types.h"
#include "linear/simd/pack.h"

namespace bricard {
namespace block_cholesky_test {

struct RandomBlocks {
  std::vector<int> sizes;
  std::vector<std::pair<int, int>> pairs;
  BlockSchedule schedule;
  Matrix S;       // in the order of elimination, with ones where rows are padded
  Vector is_row;  // 1, and 0 for padding

  RandomBlocks(int blocks, int common, unsigned seed) {
    std::mt19937 random(seed);
    const auto number = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    for (int k = 0; k < blocks; ++k) sizes.push_back(common > 0 ? common : 1 + number(6));
    for (int k = 1; k < blocks; ++k) pairs.emplace_back(k, number(k));
    for (int k = 0; k < blocks / 2; ++k) pairs.emplace_back(number(blocks), number(blocks));
    schedule = BlockSchedule(sizes, pairs);
    S = Matrix::Zero(schedule.rows(), schedule.rows());
    std::uniform_real_distribution<double> value(-1, 1);
    const auto fill = [&](int row, int column) {
      const auto &r = schedule.column(row), &c = schedule.column(column);
      for (int i = 0; i < r.size; ++i) {
        for (int j = 0; j < c.size; ++j) {
          S(r.start + i, c.start + j) = value(random);
          S(c.start + j, r.start + i) = S(r.start + i, c.start + j);
        }
      }
    };
    for (const auto& [i, j] : pairs) fill(schedule.position(i), schedule.position(j));
    for (int k = 0; k < blocks; ++k) fill(k, k);
    S.diagonal().array() += S.cwiseAbs().rowwise().sum().maxCoeff();
    is_row = Vector::Zero(schedule.rows());
    for (int k = 0; k < blocks; ++k) is_row.segment(schedule.column(k).start, schedule.column(k).size).setOnes();
  }

  template <class Real>
  void write(Real* values) const {
    const auto block = [&](int row, int column) {
      const auto &r = schedule.column(row), &c = schedule.column(column);
      Real* target = values + schedule.offset(row, column);
      for (int i = 0; i < r.size; ++i) {
        for (int j = 0; j < c.size; ++j)
          target[j * BlockSchedule::padded(r.size) + i] = Real(S(r.start + i, c.start + j));
      }
    };
    for (const auto& [i, j] : pairs) {
      const auto [column, row] = std::minmax({schedule.position(i), schedule.position(j)});
      block(row, column);
    }
    for (int k = 0; k < schedule.columns(); ++k) block(k, k);
  }
};

class BlockSizes : public testing::TestWithParam<int> {};

TEST_P(BlockSizes, SolvesAsTheDenseOne) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const RandomBlocks random(12, GetParam(), seed);
    BlockCholesky<double> cholesky(random.schedule);
    cholesky.set_zero();
    random.write(cholesky.values());
    const int rows = random.schedule.rows();
    const Vector shift = Vector::LinSpaced(rows, 0, 1), least = Vector::Zero(rows);
    ASSERT_EQ(cholesky.factorize(shift.data(), 1, least.data()), 0);
    const Vector b = Vector::LinSpaced(rows, -1, 2).cwiseProduct(random.is_row);
    Vector x = b;
    cholesky.solve(x.data());
    const Vector expected = (random.S + Matrix(shift.asDiagonal())).llt().solve(b);
    EXPECT_LT((x - expected).norm(), 1e-13 * expected.norm()) << "seed " << seed;
  }
}
INSTANTIATE_TEST_SUITE_P(CommonAndMixed, BlockSizes, testing::Values(0, 1, 2, 3, 5, 6));

TEST(BlockCholesky, LanesAreRunsOfTheirOwn) {
  const RandomBlocks random(8, 0, 3);
  BlockCholesky<Pack> cholesky(random.schedule);
  cholesky.set_zero();
  random.write(cholesky.values());
  const int rows = random.schedule.rows();
  const Vector least = Vector::Zero(rows);
  std::vector<Pack> shift(rows, Pack(0)), x(rows);
  for (int k = 0; k < rows; ++k) {
    for (int lane = 0; lane < Pack::lanes; ++lane) shift[k][lane] = lane, x[k][lane] = random.is_row[k] * (k + lane);
  }
  ASSERT_EQ(cholesky.factorize(shift.data(), 1, least.data()), 0);
  cholesky.solve(x.data());
  for (int lane = 0; lane < Pack::lanes; ++lane) {
    const Vector b = Vector::LinSpaced(rows, lane, rows - 1 + lane).cwiseProduct(random.is_row);
    const Vector expected = (random.S + lane * Matrix::Identity(rows, rows)).llt().solve(b);
    for (int k = 0; k < rows; ++k) EXPECT_NEAR(x[k][lane], expected[k], 1e-13 * expected.norm());
  }
}

TEST(BlockCholesky, LeavesOutRowsWithoutAPivot) {
  // Two equal rows: the second one's pivot is zero, and the first one does its work.
  const std::vector<int> sizes = {2};
  const BlockSchedule schedule(sizes, {});
  BlockCholesky<double> cholesky(schedule);
  double* S = cholesky.values();
  S[0] = S[1] = S[2] = S[3] = 4;
  const double diagonal[] = {4, 4}, least[] = {1e-12, 1e-12};
  EXPECT_EQ(cholesky.factorize(diagonal, 0, least), 1);
  std::vector<int> left_out;
  cholesky.each_left_out([&](int row) { left_out.push_back(row); });
  EXPECT_EQ(left_out, std::vector<int>{1});
  alignas(16) double x[] = {8, 8};
  cholesky.solve(x);
  EXPECT_DOUBLE_EQ(x[0], 2);
  EXPECT_DOUBLE_EQ(x[1], 0);
}

// A chain keeps two blocks a column whatever its length, a ladder of loops a handful.
TEST(BlockSchedule, FillDoesNotGrowWithLength) {
  const auto chain = [](int n) {
    std::vector<std::pair<int, int>> pairs;
    for (int k = 1; k < n; ++k) pairs.emplace_back(k - 1, k);
    return BlockSchedule(std::vector<int>(n, 5), pairs).values() / n;
  };
  EXPECT_LE(chain(10), 60);
  EXPECT_LE(chain(1000), 60);
  const auto ladder = [](int n) {
    std::vector<std::pair<int, int>> pairs;  // of an N-four-bar: joints (k, 0) ground, (k, 1) and (k, 2) couplers
    for (int k = 0; k < n; ++k) {
      pairs.insert(pairs.end(), {{3 * k, 3 * k + 1}, {3 * k, 3 * k + 2}, {3 * k + 1, 3 * k + 2}});
      if (k > 0) pairs.emplace_back(3 * k - 2, 3 * k + 2);
    }
    return BlockSchedule(std::vector<int>(3 * n, 2), pairs).values() / n;
  };
  EXPECT_LE(ladder(1000), ladder(100) + 1);
}

}  // namespace block_cholesky_test
}  // namespace bricard

// M + a P^T P: dense and sparse factorisations against the dense matrix itself.
#include "linear/positive_solver.h"

#include <gtest/gtest.h>

#include <random>

#include "support/allocation_counter.h"

namespace bricard {
namespace positive_solver_test {

/// A chain: M of blocks of three, every row of P joins two neighbours, the last row the two ends.
struct Chain {
  explicit Chain(int bodies) : n(3 * bodies), M(n, n), P(bodies, n) {
    std::vector<Eigen::Triplet<double>> mass, jacobian;
    for (int body = 0; body < bodies; ++body) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) mass.emplace_back(3 * body + i, 3 * body + j, 1);
        jacobian.emplace_back(body, 3 * body + i, 1);
        jacobian.emplace_back(body, (3 * body + 3 + i) % n, 1);
      }
    }
    M.setFromTriplets(mass.begin(), mass.end());
    P.setFromTriplets(jacobian.begin(), jacobian.end());
  }
  void fill(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (int block = 0; block < n; block += 3) {
      const Mat3 G = Mat3::NullaryExpr([&](Eigen::Index, Eigen::Index) { return normal(random); });
      const Mat3 positive = G * G.transpose() + Mat3::Identity();
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) M.coeffRef(block + i, block + j) = positive(i, j);
      }
    }
    for (int k = 0; k < P.nonZeros(); ++k) P.valuePtr()[k] = normal(random);
  }
  int n;
  SparseColumns M;
  SparseRows P;
};

TEST(PositiveSolver, DenseAndSparse) {
  for (int bodies : {3, 8, 60}) {
    Chain chain(bodies);
    PositiveSolver dense(chain.M, chain.P, 1000), sparse(chain.M, chain.P, 0);
    for (unsigned seed = 1; seed <= 3; ++seed) {  // other values in the same pattern
      chain.fill(seed);
      for (double a : {1.0, 1e3, 1e6}) {
        const Matrix P(chain.P), K = Matrix(chain.M) + a * P.transpose() * P;
        const Vector expected = Vector::LinSpaced(chain.n, -1, 1), right_side = K * expected;
        for (PositiveSolver* solver : {&dense, &sparse}) {
          ASSERT_TRUE(solver->factorize(chain.M, chain.P, a));
          Vector x = right_side;
          solver->solve(x);
          EXPECT_LT((x - expected).norm(), 1e-13 * (1 + a) * expected.norm()) << bodies << " bodies, a = " << a;
        }
      }
    }
  }
}

TEST(PositiveSolver, RefusesWhatIsNotPositive) {
  Chain chain(30);
  chain.fill(1);
  const SparseColumns regular = chain.M;
  PositiveSolver dense(chain.M, chain.P, 1000), sparse(chain.M, chain.P, 0);
  for (PositiveSolver* solver : {&dense, &sparse}) {
    chain.M = regular;
    chain.M *= 1e-30;  // nothing left beside P^T P, which has not full rank
    EXPECT_FALSE(solver->factorize(chain.M, chain.P, 1));
    chain.M = regular;
    chain.M.coeffRef(4, 4) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(solver->factorize(chain.M, chain.P, 1));
    EXPECT_TRUE(solver->factorize(regular, chain.P, 1));  // and works again afterwards
  }
}

TEST(PositiveSolver, DoesNotAllocate) {
  Chain chain(30);
  chain.fill(1);
  Vector x = Vector::Ones(chain.n);
  for (int largest_dense : {0, 1000}) {
    PositiveSolver solver(chain.M, chain.P, largest_dense);
    solver.factorize(chain.M, chain.P, 1);
    solver.solve(x);
    const AllocationCounter counter;
    solver.factorize(chain.M, chain.P, 2);
    solver.solve(x);
    EXPECT_EQ(counter.count(), 0);
  }
}

TEST(PositiveSolver, NothingToSolve) {
  PositiveSolver solver(SparseColumns(0, 0), SparseRows(0, 0));
  EXPECT_TRUE(solver.factorize(SparseColumns(0, 0), SparseRows(0, 0), 1));
  Vector x(0);
  solver.solve(x);
}

}  // namespace positive_solver_test
}  // namespace bricard

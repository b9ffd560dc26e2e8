// Selections of independent coordinates: every choice makes [P; B] regular, and the projective criterion has its
// published curve.
#include "selections/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include "selections/projective.h"

namespace bricard {
namespace selection_test {

Matrix random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number;
  Matrix matrix(rows, columns);
  for (double& entry : matrix.reshaped()) entry = number(random);
  return matrix;
}

TEST(Selection, EveryChoiceIsRegular) {
  for (const SelectionType& type : selection_types()) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const int n = 9, m = 3 + static_cast<int>(seed % 5);  // at most the seven columns that are not almost zero
      Matrix P = random_matrix(m, n, seed);
      // Two columns that cannot be dependent ones: choosing them as such would be singular.
      P.col(0).setZero();
      P.col(1) = 1e-9 * P.col(1);
      const Matrix root = random_matrix(n, n, seed + 100);
      const Matrix M = root * root.transpose() + Matrix::Identity(n, n);
      const Selected selected = type.create()->choose(P, M);
      ASSERT_EQ(selected.B.rows(), n - m) << type.name;
      Matrix stacked(n, n);
      stacked << P, selected.B;
      EXPECT_GT(Eigen::JacobiSVD<Matrix>(stacked).singularValues().minCoeff(), 1e-3) << type.name << " seed " << seed;
      if (!selected.coordinates.empty()) {
        EXPECT_EQ(selected.coordinates.front(), 0) << type.name;  // the column of zeros must be free
      }
    }
  }
}

// One coordinate after the other, each the best in what the ones before it leave free.
std::vector<int> chosen_one_by_one(const Matrix& P, const Matrix& M) {
  const int columns = static_cast<int>(P.cols());
  Matrix constraints(columns, columns);
  constraints.topRows(P.rows()) = P;
  std::vector<int> chosen;
  for (int taken = static_cast<int>(P.rows()); taken < columns; ++taken) {
    int best = 0;
    projective_criterion(constraints.topRows(taken), M).maxCoeff(&best);
    chosen.push_back(best);
    constraints.row(taken) = Vector::Unit(columns, best).transpose();
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

TEST(Projective, ChoosesTheBestInWhatIsLeft) {
  const auto selection = find_selection_type("projective")->create();
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const int n = 8, m = 1 + static_cast<int>(seed % 7);
    const Matrix P = random_matrix(m, n, seed), root = random_matrix(n, n, seed + 50);
    const Matrix M = root * root.transpose() + Matrix::Identity(n, n);
    const Selected selected = selection->choose(P, M);
    EXPECT_EQ(selected.coordinates, chosen_one_by_one(P, M)) << seed;
    EXPECT_FALSE(selection->is_outdated(selected, P, M, 1, 0.5)) << seed;
  }
}

TEST(Projective, IsOutdatedOnceAnotherCoordinateIsTwiceAsGood) {
  // Motion along (cos a, sin a): the coordinates have cos^2 a and sin^2 a, the first is half as good at tan^2 a = 2.
  const auto selection = find_selection_type("projective")->create();
  const double limit = std::atan(std::sqrt(2.0));
  const auto is_outdated = [&](int chosen, double angle) {
    Matrix P(1, 2);
    P << std::sin(angle), -std::cos(angle);
    return selection->is_outdated(boolean_selection({chosen}, 2), P, Matrix::Identity(2, 2), 1, 0.5);
  };
  EXPECT_FALSE(is_outdated(0, 0));
  EXPECT_FALSE(is_outdated(0, limit - 1e-3));
  EXPECT_TRUE(is_outdated(0, limit + 1e-3));
  EXPECT_FALSE(is_outdated(1, limit + 1e-3));
  EXPECT_FALSE(is_outdated(1, std::atan(1 / std::sqrt(2.0)) + 1e-3));
  EXPECT_TRUE(is_outdated(1, std::atan(1 / std::sqrt(2.0)) - 1e-3));
}

TEST(ProjectiveCriterion, BothFormsAgree) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const int n = 8, m = 1 + static_cast<int>(seed % 7);
    const Matrix P = random_matrix(m, n, seed), root = random_matrix(n, n, seed + 50);
    const Matrix M = root * root.transpose() + 0.1 * Matrix::Identity(n, n);
    const Vector a = projective_criterion_by_freedoms(P, M), b = projective_criterion_by_constraints(P, M);
    EXPECT_LT((a - b).lpNorm<Eigen::Infinity>(), 1e-10);
    EXPECT_GE(a.minCoeff(), -1e-12);
    EXPECT_LE(a.maxCoeff(), 1 + 1e-12);
    // In n - m admissible directions of n, the angles of M-orthogonal axes would sum to n - m; here it is bounded by n.
    EXPECT_LT((projective_criterion(P, M) - a).lpNorm<Eigen::Infinity>(), 1e-10);
  }
}

// Blajer's four-bar in the relative coordinates alpha1, alpha2, alpha3: l0 = 2, l1 = 0.8, l2 = 1.8, l3 = 1.5, uniform
// rods of 1 kg/m; the direction of a link at angle a is (sin a, cos a).
TEST(ProjectiveCriterion, OfTheFourBarOverATurn) {
  std::ifstream file(BRICARD_SOURCE_DIR "/tests/data/four-bar-criterion.csv");
  ASSERT_TRUE(file);
  std::string line;
  int compared = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#' || line[0] == 'a') continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream numbers(line);
    double alpha[3], D2, D3, expected[3];
    numbers >> alpha[0] >> alpha[1] >> alpha[2] >> D2 >> D3 >> expected[0] >> expected[1] >> expected[2];
    const double lengths[] = {0.8, 1.8, 1.5};
    Matrix M = Matrix::Zero(3, 3), tip = Matrix::Zero(2, 3);
    double angle = 0;
    for (int link = 0; link < 3; ++link) {
      angle += alpha[link];
      // d(direction)/d(angle) = (cos, -sin); the link's own angle depends on alpha up to this one.
      Matrix direction = Matrix::Zero(2, 3);
      for (int k = 0; k <= link; ++k) direction.col(k) << std::cos(angle), -std::sin(angle);
      const double l = lengths[link], mass = l;
      const Matrix center = tip + 0.5 * l * direction;
      Vector turn = Vector::Zero(3);
      turn.head(link + 1).setOnes();
      M += mass * center.transpose() * center + mass * l * l / 12 * turn * turn.transpose();
      tip += l * direction;
    }
    const Vector found = projective_criterion(tip, M);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], 1e-10) << "alpha1 = " << alpha[0];
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

}  // namespace selection_test
}  // namespace bricard

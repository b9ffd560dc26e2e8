// Every formulation on random systems whose solution is known, because they are made from it:
//   Q = M v' + P^T lambda,   gamma = P v',   lambda in the range of P, so that it is the one of least norm.
#include <gtest/gtest.h>

#include <random>

#include "formulations/formulation.h"
#include "pseudoinverses/pseudoinverse.h"

namespace bricard {
namespace random_systems_test {

struct Shape {
  const char* name;
  int n, m, rank, mass_rank;
  bool redundant() const { return rank < m; }
  bool singular_mass() const { return mass_rank < n; }
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

const std::vector<Shape> shapes = {
    {"WellPosed", 12, 8, 8, 12},
    {"Redundant", 12, 9, 6, 12},
    {"MoreRowsThanCoordinates", 6, 9, 5, 6},
    {"NothingCanMove", 6, 6, 6, 6},
    {"NothingCanMoveRedundant", 6, 8, 6, 6},
    {"SingularMass", 12, 8, 8, 7},
    {"SingularMassRedundant", 12, 9, 6, 8},
    {"NoMassAtAll", 5, 7, 5, 0},
    {"NoRows", 5, 0, 0, 5},
    {"RowsOfZeros", 5, 2, 0, 5},
    {"Large", 90, 75, 70, 90},
};

/// Largest over smallest singular value among those that are not zero: how well a solution can be known.
double condition(const Matrix& A, int rank) {
  if (rank == 0) return 1;
  const Vector values = Eigen::JacobiSVD<Matrix>(A).singularValues();
  return values[0] / values[rank - 1];
}

struct RandomSystem {
  RandomSystem(const Shape& shape, unsigned seed) : random(seed) {
    const int n = shape.n, m = shape.m;
    typical_inertia = Vector::Ones(n);
    for (double& value : typical_inertia) value = std::exp(normal());
    // Drawn again where the rank is a matter of thresholds.
    do {
      draw(shape);
    } while (condition_of_all > 1e6);
    vdot = matrix(n, 1);
    lambda = eq.P * matrix(n, 1);
    eq.Q = eq.M * vdot + eq.P.transpose() * lambda;
    eq.gamma = eq.P * vdot;
    eq.Phi = eq.Phi_t = eq.Phi_dot = Vector::Zero(m);
  }
  void draw(const Shape& shape) {
    const int n = shape.n, m = shape.m;
    // One after the other: of the factors of a product, compilers are free to call either first.
    const Matrix G = matrix(n, shape.mass_rank), left = matrix(m, shape.rank), right = matrix(shape.rank, n);
    const Matrix P = left * right;
    const Matrix M = G * G.transpose() + (shape.singular_mass() ? 0.0 : 1.0) * Matrix::Identity(n, n);
    eq.M = M.sparseView();
    eq.P = P.sparseView();
    Matrix all(n + m, n + m);
    all << M, P.transpose(), P, Matrix::Zero(m, m);
    condition_of_all = condition(all, n + shape.rank);
    condition_of_rows = condition(P, shape.rank);
  }
  double normal() { return std::normal_distribution<double>()(random); }
  Matrix matrix(int rows, int columns) {
    return Matrix::NullaryExpr(rows, columns, [this](Eigen::Index, Eigen::Index) { return normal(); });
  }
  std::mt19937 random;
  Equations eq;
  Vector vdot, lambda, typical_inertia;
  double condition_of_all = 0, condition_of_rows = 0;  // of [M P^T; P 0]; of P
};

void expect_solution(const FormulationType& type, const RandomSystem& system, const Shape& shape,
                     const FormulationOptions& options) {
  const auto formulation = type.create(system.eq, options);
  ASSERT_EQ(formulation->factorize(system.eq), Status::ok) << formulation->failure();
  Vector vdot(shape.n), lambda(shape.m);
  ASSERT_EQ(formulation->solve(system.eq.Q, system.eq.gamma, vdot, lambda), Status::ok) << formulation->failure();
  // Perturbations of the data grow by the condition of the whole matrix; methods with P P^T or P^T P square that of P.
  const double lost = std::max(system.condition_of_all, std::pow(system.condition_of_rows, 2));
  const double accuracy = std::max<double>(1e-12 * lost, type.traits.accuracy);
  EXPECT_LT((vdot - system.vdot).norm(), accuracy * (1 + system.vdot.norm()));
  EXPECT_LT((lambda - system.lambda).norm(), accuracy * (1 + system.lambda.norm()));
  if (formulation->rank() >= 0) {
    EXPECT_EQ(formulation->rank(), shape.rank);
  }
}

class RandomSystems : public ::testing::TestWithParam<std::tuple<std::string, Shape>> {};

TEST_P(RandomSystems, AreSolvedAsTheTraitsSay) {
  const auto& [name, shape] = GetParam();
  const FormulationType& type = *find_formulation_type(name);
  if (shape.redundant() && !type.traits.redundant_rows) return;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const RandomSystem system(shape, seed);
    const FormulationOptions options{.typical_inertia = system.typical_inertia};
    if (shape.singular_mass() && !type.traits.singular_mass) {
      EXPECT_EQ(type.create(system.eq, options)->factorize(system.eq), Status::failed);
    } else {
      expect_solution(type, system, shape, options);
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const FormulationType& type : formulation_types()) {
    if (type.create && !type.traits.tree_only) all.emplace_back(type.name);
  }
  return all;
}
std::string identifier(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Every, RandomSystems,
                         ::testing::Combine(::testing::ValuesIn(names()), ::testing::ValuesIn(shapes)),
                         [](const auto& test) {
                           return identifier(std::get<0>(test.param)) + "_" + std::get<1>(test.param).name;
                         });

// --- formulations that use a pseudoinverse, with every one ---

class EveryPseudoinverse : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(EveryPseudoinverse, Serves) {
  const auto& [name, pseudoinverse] = GetParam();
  const FormulationType& type = *find_formulation_type(name);
  for (const Shape& shape : shapes) {
    if (shape.singular_mass() && !type.traits.singular_mass) continue;
    SCOPED_TRACE(shape.name);
    const RandomSystem system(shape, 1);
    expect_solution(type, system, shape, {.pseudoinverse = pseudoinverse, .typical_inertia = system.typical_inertia});
  }
}

std::vector<std::string> pseudoinverses() {
  std::vector<std::string> all;
  // Those as printed have a test of their own, pseudoinverse_fit_test.cpp.
  for (const PseudoinverseType& type : pseudoinverse_types()) {
    if (type.traits.any_rank && !type.traits.squares_condition) all.emplace_back(type.name);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(
    Of, EveryPseudoinverse,
    ::testing::Combine(::testing::Values("lagrange-pseudoinverse", "udwadia-kalaba", "least-squares-1",
                                         "least-squares-2", "udwadia-phohomsiri"),
                       ::testing::ValuesIn(pseudoinverses())),
    [](const auto& test) { return identifier(std::get<0>(test.param)) + "_" + identifier(std::get<1>(test.param)); });

// --- a motion without inertia is reported ---

TEST(SingularInertia, IsReported) {
  // Two coordinates, nothing constrains the second, which has no mass.
  Equations eq;
  Matrix M = Matrix::Zero(2, 2), P = Matrix::Zero(1, 2);
  M(0, 0) = P(0, 0) = 1;
  eq.M = M.sparseView();
  eq.P = P.sparseView();
  eq.Q = Vector::Ones(2);
  eq.gamma = eq.Phi = eq.Phi_t = eq.Phi_dot = Vector::Zero(1);
  for (const FormulationType& type : formulation_types()) {
    if (!type.create || type.traits.tree_only || std::string(type.name).starts_with("lagrange")) continue;
    SCOPED_TRACE(type.name);
    const auto formulation = type.create(eq, {.typical_inertia = Vector::Ones(2)});
    EXPECT_EQ(formulation->factorize(eq), Status::failed);
    EXPECT_NE(std::string(formulation->failure()).find(type.traits.singular_mass ? "no inertia" : "singular"),
              std::string::npos)
        << formulation->failure();
  }
}

}  // namespace random_systems_test
}  // namespace bricard

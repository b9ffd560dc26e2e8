// Udwadia-Phohomsiri's equation with forces C of constraints that do work, against its own formula in dense algebra, on
// redundant rows and a singular mass matrix.
#include "formulations/nonideal_forces.h"

#include <gtest/gtest.h>

#include <random>

namespace bricard {
namespace nonideal_forces_test {

Matrix random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> number;
  Matrix matrix(rows, columns);
  for (double& entry : matrix.reshaped()) entry = number(random);
  return matrix;
}

TEST(NonidealForcesTest, UdwadiaPhohomsiriTakesThemAsC) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const int n = 7;
    Matrix P = random_matrix(4, n, seed);
    P.row(3) = P.row(0) - 2 * P.row(1);
    const Matrix root = random_matrix(n, n - 2, seed + 10);
    const Matrix M = root * root.transpose();  // two directions without inertia
    const Vector Q = random_matrix(n, 1, seed + 20), C = random_matrix(n, 1, seed + 30);
    const Vector gamma = P * random_matrix(n, 1, seed + 40);

    Equations eq;
    eq.M = M.sparseView(), eq.P = P.sparseView();
    eq.Q = Q, eq.gamma = gamma;
    eq.Phi = eq.Phi_t = eq.Phi_dot = Vector::Zero(4);
    FormulationOptions options;
    options.typical_inertia = Vector::Ones(n);
    const auto formulation = find_formulation_type("udwadia-phohomsiri")->create(eq, options);
    auto* nonideal = dynamic_cast<NonidealForces*>(formulation.get());
    ASSERT_NE(nonideal, nullptr);
    ASSERT_EQ(formulation->factorize(eq), Status::ok);
    Vector vdot(n), lambda(4);
    ASSERT_EQ(nonideal->solve_nonideal(Q, C, gamma, vdot, lambda), Status::ok);

    const Matrix P_plus = P.completeOrthogonalDecomposition().pseudoInverse();
    Matrix stacked(n + 4, n);
    stacked << (Matrix::Identity(n, n) - P_plus * P) * M, P;
    Vector right(n + 4);
    right << Q + C, gamma;
    const Vector expected = stacked.completeOrthogonalDecomposition().pseudoInverse() * right;
    EXPECT_LT((vdot - expected).norm(), 1e-9 * expected.norm()) << seed;
    EXPECT_LT((M * vdot + P.transpose() * lambda - Q - C).norm(), 1e-9 * (Q + C).norm()) << seed;
    // Without C it is another motion, and Q + C in the place of Q is the same.
    Vector other(n);
    ASSERT_EQ(formulation->solve(Q, gamma, other, lambda), Status::ok);
    EXPECT_GT((other - vdot).norm(), 1e-3);
    ASSERT_EQ(formulation->solve(Q + C, gamma, other, lambda), Status::ok);
    EXPECT_LT((other - vdot).norm(), 1e-12 * vdot.norm());
  }
}

TEST(NonidealForcesTest, OthersFindThemInQ) {
  Equations eq;
  eq.M = Matrix(Matrix::Identity(2, 2)).sparseView(), eq.P = Matrix(Matrix::Ones(1, 2)).sparseView();
  eq.Q = Vector::Zero(2), eq.gamma = eq.Phi = eq.Phi_t = eq.Phi_dot = Vector::Zero(1);
  FormulationOptions options;
  options.typical_inertia = Vector::Ones(2);
  for (const FormulationType& type : formulation_types()) {
    if (!type.create || type.traits.tree_only || std::string(type.name) == "udwadia-phohomsiri") continue;
    EXPECT_EQ(dynamic_cast<NonidealForces*>(type.create(eq, options).get()), nullptr) << type.name;
  }
}

}  // namespace nonideal_forces_test
}  // namespace bricard

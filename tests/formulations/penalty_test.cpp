// The penalty and the augmented Lagrangian formulation: errors as the theory says, iterations as in the book,
// multipliers, feedback of constraint errors, velocity-level rows, large systems.
#include <random>

#include "reference/reference.h"
#include "stabilization/stabilization.h"
#include "support/allocation_counter.h"
#include "support/models.h"
#include "support/started.h"

namespace bricard::testing_support {
namespace penalty_test {

struct Solution {
  Vector vdot, lambda;
  std::string report;
};

Solution solve(const std::string& name, const Equations& eq, FormulationOptions options) {
  options.typical_inertia = Vector::Ones(eq.velocities());
  const auto formulation = find_formulation_type(name)->create(eq, options);
  EXPECT_EQ(formulation->factorize(eq), Status::ok) << formulation->failure();
  Solution solution{Vector(eq.velocities()), Vector(eq.rows()), ""};
  EXPECT_EQ(formulation->solve(eq.Q, eq.gamma, solution.vdot, solution.lambda), Status::ok) << formulation->failure();
  solution.report = formulation->report();
  return solution;
}

double distance(const Vector& a, const Vector& b) { return (a - b).norm() / (1 + b.norm()); }

/// Random equations off their constraints, well conditioned: P has singular values from 1 to 3, M from 1 to 5.
Equations random_equations(unsigned seed, int n = 12, int m = 8) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto matrix = [&](int rows, int columns) -> Matrix {
    return Matrix::NullaryExpr(rows, columns, [&](Eigen::Index, Eigen::Index) { return normal(random); });
  };
  const Matrix U = Eigen::HouseholderQR<Matrix>(matrix(m, m)).householderQ();
  const Matrix V = Eigen::HouseholderQR<Matrix>(matrix(n, n)).householderQ();
  const Matrix W = Eigen::HouseholderQR<Matrix>(matrix(n, n)).householderQ();
  Equations eq;
  eq.M = Matrix(W * Vector::LinSpaced(n, 1, 5).asDiagonal() * W.transpose()).sparseView();
  eq.P = Matrix(U * Vector::LinSpaced(m, 1, 3).asDiagonal() * V.leftCols(m).transpose()).sparseView();
  eq.Q = matrix(n, 1);
  eq.gamma = matrix(m, 1);
  eq.Phi = eq.Phi_t = eq.Phi_dot = Vector::Zero(m);
  return eq;
}

FormulationOptions absolute(double penalty) {
  FormulationOptions options;
  options.penalty = penalty, options.penalty_is_relative = false;
  return options;
}

FormulationOptions relative(double penalty) {
  FormulationOptions options;
  options.penalty = penalty;
  return options;
}

// --- accuracy ---

TEST(Penalty, ErrorFallsLikeOneOverThePenalty) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Equations eq = random_equations(seed);
    const Solution exact = solve("lagrange", eq, {});
    double previous = 0;
    for (double a : {1e3, 1e4, 1e5, 1e6, 1e7}) {
      const Solution found = solve("penalty", eq, absolute(a));
      const double error = distance(found.vdot, exact.vdot);
      EXPECT_LT(error, 10 / a);
      if (previous > 0) {
        EXPECT_NEAR(previous / error, 10, 0.2) << "a = " << a;
      }
      EXPECT_LT(distance(found.lambda, exact.lambda), 50 / a);
      previous = error;
    }
  }
}

TEST(AugmentedLagrangian, ReachesRoundOffWithAnyPenalty) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Equations eq = random_equations(seed);
    const Solution exact = solve("lagrange", eq, {});
    for (double a : {1e1, 1e3, 1e5, 1e7, 1e9, 1e11}) {
      SCOPED_TRACE(a);
      const Solution found = solve("augmented-lagrangian", eq, relative(a));
      EXPECT_LT(distance(found.vdot, exact.vdot), 1e-12);
      EXPECT_LT(distance(found.lambda, exact.lambda), 1e-12);
    }
  }
}

TEST(AugmentedLagrangian, ReachesRoundOffOnModels) {
  for (const char* name : {"four-bar", "mcpherson", "driven-slider-crank", "exudyn-joints", "five-bar", "sarrus",
                           "bennett", "mcpherson-overconstrained"}) {
    const auto model = shipped(name);
    testing_support::Started start(model);
    auto& [assembly, system, eq] = start;
    const Start exact = start_of(model);
    for (double a : {1e3, 1e5, 1e7, 1e9}) {
      SCOPED_TRACE(std::string(name) + ", penalty " + std::to_string(a));
      FormulationOptions options = relative(a);
      options.iterations = 100;
      const Solution found = solve("augmented-lagrangian", eq, options);
      EXPECT_LT(distance(found.vdot, exact.accelerations), 1e-9);
      // Of redundant rows the multipliers of least norm.
      EXPECT_LT(distance(found.lambda, exact.multipliers), 1e-8);
    }
  }
}

TEST(AugmentedLagrangian, MultipliersOfRedundantRowsHaveLeastNorm) {
  Equations eq = random_equations(1, 12, 6);
  // Each row once more, with another factor.
  const Matrix P(eq.P);
  Matrix twice(12, 12);
  twice << P, -2 * P;
  Vector gamma(12);
  gamma << eq.gamma, -2 * eq.gamma;
  eq.P = twice.sparseView();
  eq.gamma = gamma;
  eq.Phi = eq.Phi_t = eq.Phi_dot = Vector::Zero(12);
  for (const char* exact : {"nullspace-svd", "lagrange-pseudoinverse"}) {
    const Solution expected = solve(exact, eq, {});
    const Solution augmented = solve("augmented-lagrangian", eq, {}), penalty = solve("penalty", eq, {});
    EXPECT_LT(distance(augmented.vdot, expected.vdot), 1e-12);
    EXPECT_LT(distance(augmented.lambda, expected.lambda), 1e-12);
    EXPECT_LT(distance(penalty.vdot, expected.vdot), 1e-6);
    EXPECT_LT(distance(penalty.lambda, expected.lambda), 1e-6);
  }
}

// (M + P^T a P) v' = Q - P^T a w with diagonal a, Omega and mu, solved densely here.
TEST(Penalty, TakesAPenaltyAnOmegaAndAMuByRow) {
  Equations eq = random_equations(2);
  eq.Phi = Vector::LinSpaced(8, -0.01, 0.02), eq.Phi_dot = Vector::LinSpaced(8, 0.3, -0.1);
  eq.Phi[7] = 0;
  FormulationOptions options = absolute(1);
  options.row_penalty = Vector::LinSpaced(8, 1, 6).unaryExpr([](double x) { return std::pow(10, x); });
  options.row_omega = Vector::LinSpaced(8, 2, 12);
  options.row_mu = Vector::LinSpaced(8, 1.5, 0.5);
  options.velocity_rows.assign(8, false);
  options.velocity_rows[7] = true;
  const Matrix M(eq.M), P(eq.P);
  const Vector &a = options.row_penalty, &omega = options.row_omega, &mu = options.row_mu;
  Vector w = -eq.gamma;
  for (int k = 0; k < 8; ++k)
    w[k] += (k == 7 ? 1 : 2) * omega[k] * mu[k] * eq.Phi_dot[k] + omega[k] * omega[k] * eq.Phi[k];
  const Matrix K = M + P.transpose() * a.asDiagonal() * P;
  const Vector vdot = K.ldlt().solve(eq.Q - P.transpose() * a.cwiseProduct(w));
  const Vector lambda = a.cwiseProduct(P * vdot + w);
  const Solution found = solve("penalty", eq, options);
  // The refinement sets v' and lambda to their equilibrium, from which lambda = a (P v' + w) is off by rounding.
  EXPECT_LT(distance(found.vdot, vdot), 1e-9);
  EXPECT_LT(distance(found.lambda, lambda), 1e-9);
  EXPECT_NE(found.report.find("penalties 10 to 1e+06"), std::string::npos) << found.report;
  // Iterated, the penalties no longer matter: P v' = -w.
  options.iterations = 100;
  const Solution exact = solve("augmented-lagrangian", eq, options);
  EXPECT_LT((P * exact.vdot + w).norm(), 1e-10);
  EXPECT_LT((M * exact.vdot + P.transpose() * exact.lambda - eq.Q).norm(), 1e-10);
}

// A row twice: its copy that is three times as stiff takes three quarters of the load.
TEST(AugmentedLagrangian, StifferCopiesOfARowCarryMore) {
  Equations eq = random_equations(3, 12, 4);
  const Matrix once(eq.P);
  Matrix P(5, 12);
  P << once, once.row(3);
  Vector gamma(5);
  gamma << eq.gamma, eq.gamma[3];
  const Solution expected = solve("lagrange", eq, {});
  eq.P = P.sparseView(), eq.gamma = gamma, eq.Phi = eq.Phi_t = eq.Phi_dot = Vector::Zero(5);
  FormulationOptions options = relative(1e5);
  options.row_penalty = Vector::Constant(5, 1e5);
  options.row_penalty[4] = 3e5;
  const Solution found = solve("augmented-lagrangian", eq, options);
  EXPECT_LT(distance(found.vdot, expected.vdot), 1e-12);
  EXPECT_NEAR(found.lambda[3], 0.25 * expected.lambda[3], 1e-10);
  EXPECT_NEAR(found.lambda[4], 0.75 * expected.lambda[3], 1e-10);
}

TEST(AugmentedLagrangian, IterationsAreThoseOfTheBook) {
  // (5.51) as printed, from M v'_0 = Q; what the book counts as no iteration is the first solution.
  const Equations eq = random_equations(1);
  const Matrix M(eq.M), P(eq.P);
  const double a = 10;
  const Eigen::LDLT<Matrix> K(M + a * P.transpose() * P);
  Vector vdot = M.ldlt().solve(eq.Q);
  for (int iterations = 0; iterations <= 5; ++iterations) {
    vdot = K.solve(M * vdot + a * P.transpose() * eq.gamma);
    FormulationOptions options = absolute(a);
    options.iterations = iterations;
    const Solution found = solve("augmented-lagrangian", eq, options);
    EXPECT_LT(distance(found.vdot, vdot), 1e-13) << iterations << " iterations";
    EXPECT_LT((M * vdot + P.transpose() * found.lambda - eq.Q).norm(), 1e-12);
    EXPECT_EQ(found.report, "penalty 10, " + std::to_string(iterations) + ".0 iterations on average, " +
                                std::to_string(iterations) + " at most");
    if (iterations == 0) {
      EXPECT_LT(distance(solve("penalty", eq, absolute(a)).vdot, vdot), 1e-13);
    }
  }
}

TEST(AugmentedLagrangian, StopsWhenDone) {
  const Equations eq = random_equations(1);
  EXPECT_EQ(solve("augmented-lagrangian", eq, absolute(1e7)).report,
            "penalty 1e+07, 2.0 iterations on average, 2 at most");
  // A tolerance that rounding does not allow: stops there, not at the limit.
  FormulationOptions options = absolute(1e7);
  options.iterations = 1000, options.iteration_tolerance = 0;
  const std::string report = solve("augmented-lagrangian", eq, options).report;
  const int most = std::stoi(report.substr(report.rfind(", ") + 2));
  EXPECT_GE(most, 2);
  EXPECT_LE(most, 20);
}

TEST(Penalty, IsRelativeToTheLargestTermOfM) {
  Equations eq = random_equations(1);
  const double largest = Matrix(eq.M).diagonal().maxCoeff();
  const Vector expected = solve("penalty", eq, absolute(1e4 * largest)).vdot;
  EXPECT_LT(distance(solve("penalty", eq, relative(1e4)).vdot, expected), 1e-13);
  EXPECT_EQ(solve("penalty", eq, absolute(2e4)).report, "penalty 2e+04");
}

// --- feedback of constraint errors ---

TEST(Penalty, FeedsConstraintErrorsBack) {
  Equations eq = random_equations(2);
  FormulationOptions options;
  options.omega = 3, options.mu = 0.7;
  options.velocity_rows.assign(8, false);
  options.velocity_rows[2] = options.velocity_rows[5] = true;
  eq.Phi = Vector::LinSpaced(8, 0.1, 0.8);
  eq.Phi_dot = Vector::LinSpaced(8, -0.3, 0.4);
  eq.Phi[2] = eq.Phi[5] = 0;
  Equations stabilized = eq;
  for (int row = 0; row < 8; ++row) {
    stabilized.gamma[row] -= (options.velocity_rows[row] ? 1 : 2) * 3 * 0.7 * eq.Phi_dot[row] + 9 * eq.Phi[row];
  }
  const Solution expected = solve("lagrange", stabilized, {});
  EXPECT_LT(distance(solve("augmented-lagrangian", eq, options).vdot, expected.vdot), 1e-12);
  EXPECT_LT(distance(solve("penalty", eq, options).vdot, expected.vdot), 1e-6);
}

TEST(Penalty, TakesNoOtherFeedback) {
  for (const char* formulation : {"penalty", "augmented-lagrangian"}) {
    for (const StabilizationType& type : stabilization_types()) {
      Method method = accurate(0.1, 0.1, 1e-6);
      method.formulation = formulation, method.stabilization = type.name;
      if (type.feedback) {
        EXPECT_THROW(simulate(shipped("pendulum"), method), InputError) << type.name;
      } else {
        EXPECT_TRUE(simulate(shipped("pendulum"), method).ok()) << type.name;
      }
    }
  }
}

// --- whole runs ---

void expect_same_motion(const std::shared_ptr<const Model>& model, const Method& with_lagrange, double tolerance) {
  const SimulationResult expected = run(model, with_lagrange);
  for (const std::string formulation : {"penalty", "augmented-lagrangian"}) {
    for (const char* stabilization : {"none", "projection"}) {
      SCOPED_TRACE(formulation + ", " + stabilization);
      Method method = with_lagrange;
      method.formulation = formulation, method.stabilization = stabilization;
      const SimulationResult result = run(model, method);
      ASSERT_EQ(result.data.rows.size(), expected.data.rows.size());
      // Multipliers and reactions are as good as accelerations only.
      const int motion = static_cast<int>(model->bodies.size()) * (model->planar() ? 6 : 13);
      const double allowed = formulation == "penalty" ? 10 * tolerance : tolerance;
      for (std::size_t row = 0; row < expected.data.rows.size(); ++row) {
        for (int k = 0; k < motion; ++k) {
          EXPECT_NEAR(result.data.rows[row][k], expected.data.rows[row][k], allowed) << expected.data.columns[k];
        }
        EXPECT_NEAR(result.data.at(row, "energy.total"), expected.data.at(row, "energy.total"), allowed);
      }
    }
  }
}

TEST(Penalty, VelocityLevelRows) {
  for (const char* name : {"knife-edge", "rolling-coin"}) {
    SCOPED_TRACE(name);
    Method method = accurate(5, 0.5, 1e-10);
    method.formulation = "lagrange";
    expect_same_motion(shipped(name), method, 1e-7);
  }
}

TEST(Penalty, MasslessBody) {
  // A four-bar linkage whose coupler and rocker have neither mass nor inertia: the crank swings as if it were alone.
  const auto model = load_text(R"(
bricard: 1
dimension: planar
gravity: [0, -9.81]
points: {A: [0, 0], B: [0.3, -0.8], C: [1.7, -0.9], D: [1.5, 0]}
bodies:
  crank: {rod: [A, B], mass: 1}
  coupler: {mass: 0, inertia: 0, center: B}
  rocker: {mass: 0, inertia: 0, center: C}
joints:
  A: {type: revolute, bodies: [ground, crank], at: A}
  B: {type: revolute, bodies: [crank, coupler], at: B}
  C: {type: revolute, bodies: [coupler, rocker], at: C}
  D: {type: revolute, bodies: [ground, rocker], at: D}
)",
                               "massless");
  Method method = accurate(1, 0.1, 1e-10);
  method.formulation = "lagrange";
  expect_same_motion(model, method, 1e-7);
}

TEST(Penalty, RedundantRowsStabiliseThemselves) {
  // Without feedback the rows of the five-bar linkage drift apart, and its motion is lost within 20 s.
  const auto model = shipped("five-bar");
  for (const char* formulation : {"penalty", "augmented-lagrangian"}) {
    Method method = accurate(20, 1, 1e-8);
    method.formulation = formulation, method.stabilization = "none";
    const SimulationResult result = run(model, method);
    expect_close("angle of the exact solution", value_at(result, 20, "link1.angle"), -0.569406625134, 1e-6);
    EXPECT_LT(result.summary.constraint_position_max, 1e-7);
  }
}

TEST(AugmentedLagrangian, LargeSparseSystems) {
  const auto model = generated("n-four-bar", 40);
  testing_support::Started start(model);
  auto& [assembly, system, eq] = start;
  ASSERT_GT(eq.velocities(), 200);
  const Solution exact = solve("lagrange", eq, {});
  for (const char* name : {"augmented-lagrangian", "penalty"}) {
    const bool approximate = find_formulation_type(name)->traits.accuracy > 0;
    const Solution found = solve(name, eq, {});
    EXPECT_LT(distance(found.vdot, exact.vdot), approximate ? 1e-5 : 1e-9);
    EXPECT_LT(distance(found.lambda, exact.lambda), approximate ? 1e-4 : 1e-9);
    const auto formulation = find_formulation_type(name)->create(eq, {});
    Vector vdot(eq.velocities()), lambda(eq.rows());
    const AllocationCounter counter;
    formulation->factorize(eq);
    formulation->solve(eq.Q, eq.gamma, vdot, lambda);
    EXPECT_EQ(counter.count(), 0) << name;
  }
}

}  // namespace penalty_test
}  // namespace bricard::testing_support

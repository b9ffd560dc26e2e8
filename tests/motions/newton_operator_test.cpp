// Solutions with I - gamma df/dx: against the directional derivative of the motion itself; and that their cost grows in
// proportion to the number of bodies.
#include <gtest/gtest.h>

#include <random>

#include "analyses/assembly/assembly.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "motions/implicit_operator.h"
#include "support/allocation_counter.h"
#include "support/models.h"
#include "support/motion_over.h"
#include "testing/differentiate.h"

namespace bricard {
namespace newton_operator_test {

std::shared_ptr<const Model> read(const std::string& name, int size = 20) {
  return testing_support::generated_or_shipped(name, size);
}

/// A motion with its start, moving at random.
struct Situation {
  Situation(const std::shared_ptr<const Model>& model, const testing_support::MotionOver& over)
      : system(model, *find_coordinates_type("reference-point")) {
    const Assembly assembly = assemble(model, system.coordinates_type());
    EXPECT_TRUE(assembly.ok);
    start_at(system, assembly);
    motion = testing_support::motion_over(system, assembly.q, assembly.v, over);
    Vector v = assembly.v;
    for (double& component : v) component += number(random);
    x.resize(motion->size());
    motion->pack(0, assembly.q, v, x);
  }
  Vector derivative(const Vector& at) {
    Vector xdot(at.size());
    EXPECT_EQ(motion->derivative(0.2, at, xdot), Status::ok) << motion->failure();
    return xdot;
  }

  std::mt19937 random{3};
  std::uniform_real_distribution<double> number{-1, 1};
  System system;
  std::unique_ptr<MechanismMotion> motion;
  Vector x;
};

TEST(NewtonOperator, SolvesWithTheDerivativeOfTheMotion) {
  for (const char* name : {"bushing-chain", "pendulum", "slider-crank", "double-pendulum", "spinning-top", "stewart",
                           "driven-four-bar", "mcpherson", "exudyn-joints", "knife-edge", "spring-platform",
                           "controlled-double-rod", "geared-pair", "satellite"}) {
    for (const char* engine : {"whole", "bodies"}) {
      for (const char* stabilization : {"none", "baumgarte", "projection"}) {
        const double gamma = stabilization[0] == 'n' ? 1e-3 : 0.1;
        Situation s(read(name), {.engine = engine, .stabilization = stabilization});
        ImplicitOperator* implicit = s.motion->implicit_operator(0.2, s.x);
        ASSERT_TRUE(implicit) << name;
        ASSERT_EQ(implicit->linearize(0.2, s.x), Status::ok);
        ASSERT_TRUE(implicit->factorize(gamma));
        Vector r(s.x.size()), dx(s.x.size());
        for (double& component : r) component = s.number(s.random);
        ASSERT_TRUE(implicit->solve(r, dx));
        const double size = dx.lpNorm<Eigen::Infinity>();
        const Vector along = size * testing_support::differentiate(
                                        [&](double step) { return s.derivative(s.x + step / size * dx); }, 2e-3);
        const int states = static_cast<int>(dx.size()) - 1;  // the last is the work
        const double terms = size + gamma * along.lpNorm<Eigen::Infinity>();
        EXPECT_LT((dx - gamma * along - r).head(states).lpNorm<Eigen::Infinity>(), 1e-7 * terms)
            << name << " by " << engine << ", " << stabilization;
      }
    }
  }
}

TEST(NewtonOperator, DeclinesMotionsOfOtherEquations) {
  const auto serves = [](const char* name, const testing_support::MotionOver& over) {
    Situation s(read(name), over);
    return s.motion->implicit_operator(0, s.x) != nullptr;
  };
  EXPECT_TRUE(serves("four-bar", {.formulation = "lagrange", .stabilization = "projection"}));
  EXPECT_TRUE(serves("four-bar", {.formulation = "udwadia-kalaba", .stabilization = "projection"}));
  EXPECT_FALSE(
      serves("four-bar", {.formulation = "penalty", .stabilization = "projection"}));  // not exactly on P v' = gamma
  EXPECT_FALSE(serves(
      "four-bar", {.formulation = "augmented-lagrangian", .stabilization = "projection"}));  // with feedback of its own
  EXPECT_FALSE(
      serves("friction-incline", {.formulation = "lagrange", .stabilization = "projection"}));  // no closed form
  EXPECT_FALSE(
      serves("mcpherson-overconstrained", {.formulation = "lagrange-pseudoinverse", .stabilization = "projection"}));
  EXPECT_FALSE(serves("four-bar", {.stabilization = "projection", .within_steps = true}));
}

TEST(NewtonOperator, FactorsGrowInProportionToTheBodies) {
  const auto nonzeros = [](int bodies) {
    Situation s(read("bushing-chain", bodies), {.stabilization = "projection"});
    ImplicitOperator* implicit = s.motion->implicit_operator(0, s.x);
    EXPECT_TRUE(implicit);
    EXPECT_EQ(implicit->linearize(0, s.x), Status::ok);
    EXPECT_TRUE(implicit->factorize(1e-3));
    return static_cast<double>(implicit->factor_nonzeros());
  };
  const double at_50 = nonzeros(50), at_100 = nonzeros(100), at_200 = nonzeros(200);
  EXPECT_NEAR((at_200 - at_100) / (at_100 - at_50), 2, 0.1);
  EXPECT_LT(at_200 / 200, 400);  // a body has 6 x 18 terms in the matrix
}

TEST(NewtonOperator, AllocatesNothingWhileSolving) {
  Situation s(read("bushing-chain"), {.stabilization = "projection"});
  ImplicitOperator* implicit = s.motion->implicit_operator(0, s.x);
  ASSERT_TRUE(implicit);
  Vector r = Vector::Ones(s.x.size()), dx = r;
  implicit->linearize(0, s.x), implicit->factorize(1e-3), implicit->solve(r, dx);  // libraries may set themselves up
  const ConstVector state = s.x, right_side = r;
  const VectorRef solution = dx;
  const AllocationCounter counter;
  for (int k = 1; k < 5; ++k) {
    implicit->linearize(1e-3 * k, state);
    implicit->factorize(1e-3 * k);
    implicit->solve(right_side, solution);
  }
  EXPECT_EQ(counter.count(), 0);
}

/// Derivatives take evaluations that do not grow with the model: all of a run's are those of steps and iterations.
TEST(ImplicitIntegrators, EvaluationsDoNotGrowWithTheBodies) {
  for (const char* integrator : {"bdf", "hht", "alf3", "ida"}) {
    long evaluations[2];
    for (const int k : {0, 1}) {
      Method method;
      method.coordinates = "reference-point", method.formulation = "lagrange", method.integrator = integrator;
      method.tolerance = 1e-4, method.step = 1e-3;
      method.duration = method.output_step = 0.01;
      const SimulationResult result = simulate(read("bushing-chain", k == 0 ? 12 : 120), method);
      ASSERT_TRUE(result.ok()) << result.summary.failure;
      evaluations[k] = result.summary.evaluations;
      EXPECT_LT(result.summary.energy_drift, 1e-2 * result.summary.energy_scale);
    }
    EXPECT_LT(evaluations[1], 1.5 * evaluations[0]) << integrator;
    EXPECT_LT(evaluations[1], 150) << integrator;
  }
}

}  // namespace newton_operator_test
}  // namespace bricard

// Every integrator against its contract (testing/integrator_contract.h): everything in integrators.def must pass.
#include "integrators/integrator.h"

#include <bricard/testing.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace bricard {
namespace integrator_test {

using testing_support::decay;
using testing_support::integrate;
using testing_support::Outcome;
using testing_support::pendulum;
using testing_support::pendulum_start;
using testing_support::run;
using testing_support::scalar;
using testing_support::TestEquations;
using testing_support::witch;

std::vector<std::string> integrator_names() {
  std::vector<std::string> names;
  // The others integrate constrained equations: dae_integrator_test.cpp.
  for (const IntegratorType& type : integrator_types()) {
    if (type.create) names.push_back(type.name);
  }
  return names;
}

class IntegratorContract : public testing::TestWithParam<std::string> {
 protected:
  const IntegratorType& type() const { return *find_integrator_type(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(All, IntegratorContract, testing::ValuesIn(integrator_names()),
                         [](const auto& parameter) { return parameter.param; });

TEST(IntegratorList, FindsByName) {
  ASSERT_EQ(integrator_types().size(), 10u);
  EXPECT_STREQ(integrator_types().front().name, "dopri5");
  ASSERT_NE(find_integrator_type("bdf"), nullptr);
  EXPECT_TRUE(find_integrator_type("bdf")->implicit);
  EXPECT_EQ(find_integrator_type("euler"), nullptr);
}

TEST_P(IntegratorContract, Holds) { EXPECT_INTEGRATOR_CONTRACT(GetParam()); }

TEST_P(IntegratorContract, DenseOutputCostsEvaluationsAfterAStartOnly) {
  long evaluations[2];
  for (const bool dense : {false, true}) {
    TestEquations equations = pendulum();
    const auto integrator = type().create({.tolerance = 1e-8, .step = type().fixed_step ? 0.01 : 0});
    ASSERT_EQ(integrator->start(equations, 0, pendulum_start), Status::ok);
    Vector x(2);
    double from = 0;
    ASSERT_EQ(run(*integrator, 20,
                  [&] {
                    if (dense) {
                      ASSERT_EQ(integrator->interpolate(0.5 * (from + integrator->time()), x), Status::ok);
                    }
                    from = integrator->time();
                  }),
              Status::ok);
    evaluations[dense] = integrator->counts().evaluations;
  }
  // Runge-Kutta methods with error control take half a step more while steps still grow fast: twice here.
  const bool halves = !type().fixed_step && type().order > 0;
  const long half_step = type().order == 5 ? 6 : type().order == 6 ? 8 : 12;
  EXPECT_LE(evaluations[1] - evaluations[0], halves ? 2 * half_step : 0);
}

TEST(ExplicitIntegrator, EvaluatesEachStageOnce) {
  struct Expected {
    const char* name;
    long per_step, at_start;  // f(t0, x0), and the trial step that finds the first step size
  };
  for (const Expected& expected : {Expected{"dopri5", 6, 2}, Expected{"verner6", 8, 2}, Expected{"dop853", 12, 2},
                                   Expected{"rk4", 4, 1}, Expected{"abm", 2, 2}}) {
    TestEquations equations = pendulum();
    const IntegratorOptions options{.tolerance = 1e-9, .step = 0.02};
    const Outcome outcome = integrate(*find_integrator_type(expected.name), equations, pendulum_start, 5, options);
    // A rejected step keeps its first stage, and f at its end is evaluated only for Dormand-Prince of order five.
    const long per_rejection = std::string(expected.name) == "dopri5" ? 6 : expected.per_step - 1;
    EXPECT_EQ(outcome.counts.evaluations,
              expected.at_start + expected.per_step * outcome.counts.steps + per_rejection * outcome.counts.rejected)
        << expected.name;
  }
}

TEST(ExplicitRungeKutta, DerivativeIsTakenAtTheCorrectedState) {
  // x' = -x, halved after each step: x1 = R(-h) x0 / 2 with the stability function R of the method.
  for (const std::string name : {"rk4", "dopri5", "verner6", "dop853"}) {
    TestEquations equations = decay();
    equations.correction = [](double, VectorRef x) {
      x *= 0.5;
      return StepChange::corrected;
    };
    const auto integrator = find_integrator_type(name)->create({.tolerance = 1e-2, .step = 0.125});
    ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
    double before = 1, from = 0;
    ASSERT_EQ(run(*integrator, 2,
                  [&] {
                    const double z = from - integrator->time();
                    double expected = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4)));
                    if (name == "dopri5") expected += std::pow(z, 5) / 120 + std::pow(z, 6) / 600;
                    if (name == "verner6" || name == "dop853") expected = std::exp(z);
                    const double allowed = name == "verner6"  ? 1e-2 * std::pow(-z, 7) + 1e-14
                                           : name == "dop853" ? 1e-3 * std::pow(-z, 9) + 1e-14
                                                              : 1e-14;
                    EXPECT_NEAR(integrator->state()[0] / before, 0.5 * expected, allowed) << name << " z = " << z;
                    from = integrator->time();
                    before = integrator->state()[0];
                  }),
              Status::ok);
  }
}

// x_k' = -lambda_k (x_k - cos t) - sin t, x_k(0) = 1: x_k = cos t for every lambda; stiff.
TestEquations stiff(int size) {
  return {size, [](double t, const ConstVector& x, VectorRef xdot) {
            for (int k = 0; k < x.size(); ++k) xdot[k] = -(k % 2 == 0 ? 1 : 1e5) * (x[k] - std::cos(t)) - std::sin(t);
            return Status::ok;
          }};
}

TEST(Multistep, BdfSolvesStiffEquationsDenselyAndByKrylov) {
  for (const int size : {4, 500}) {
    TestEquations equations = stiff(size);
    const Outcome outcome =
        integrate(*find_integrator_type("bdf"), equations, Vector::Ones(size), 10, {.tolerance = 1e-6});
    EXPECT_EQ(outcome.status, Status::ok);
    EXPECT_LT((outcome.state.array() - std::cos(10.0)).abs().maxCoeff(), 1e-4);
    // The fast components ask an explicit method for some 10 * 1e5 / 3 steps.
    EXPECT_LT(outcome.counts.steps, 1000);
  }
}

TEST(MotionEquationsDefaults, HermiteInterpolationIsExactForCubics) {
  TestEquations equations = witch();
  const auto cubic = [](double t) { return scalar(2 - 3 * t + 5 * t * t - 7 * t * t * t); };
  const auto slope = [](double t) { return scalar(-3 + 10 * t - 21 * t * t); };
  Vector x(1);
  for (const double t : {0.5, 0.6, 0.8, 1.25}) {
    const Vector x0 = cubic(0.5), xdot0 = slope(0.5), x1 = cubic(1.25), xdot1 = slope(1.25);
    const StepPoint points[] = {{0.5, x0, xdot0}, {1.25, x1, xdot1}};
    equations.interpolate(points, t, x);
    EXPECT_NEAR(x[0], cubic(t)[0], 1e-14);
  }
}

}  // namespace integrator_test
}  // namespace bricard

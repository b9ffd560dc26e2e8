// What Adams-Bashforth-Moulton has of its own, beside the contract that all integrators keep.
#include <cmath>

#include "testing/test_equations.h"

namespace bricard {
namespace abm_test {

using testing_support::integrate;
using testing_support::kepler;
using testing_support::kepler_start;
using testing_support::Outcome;
using testing_support::run;
using testing_support::scalar;
using testing_support::TestEquations;

// x_p' = p t^(p-1): a method of order k is exact up to x_k. While the order rises from one, t is still so small that
// nothing is lost; from then on the tolerance does not matter, nor how unequal the steps are.
TEST(Abm, IsExactForPolynomialsWithStepsOfAnyLength) {
  for (const int degree : {2, 4, 6, 8, 10, 12, 13}) {
    TestEquations equations(1, [degree](double t, const ConstVector&, VectorRef xdot) {
      xdot[0] = degree * std::pow(t, degree - 1);
      return Status::ok;
    });
    const auto integrator = find_integrator_type("abm")->create({.tolerance = 1e-7, .step = 0.05});
    ASSERT_EQ(integrator->start(equations, 0, scalar(0)), Status::ok);
    for (const double end : {0.31, 0.33, 0.47, 0.478, 0.6, 0.83, 1.0}) ASSERT_EQ(run(*integrator, end), Status::ok);
    EXPECT_NEAR(integrator->state()[0], 1, 1e-11) << degree;
  }
}

// Evaluations at equal error on three periods of Kepler's ellipse.
TEST(Abm, NeedsFewerEvaluationsThanRungeKuttaOfOrderFive) {
  const auto error_and_work = [](const char* name, double tolerance) {
    TestEquations equations = kepler();
    const Outcome outcome = integrate(*find_integrator_type(name), equations, kepler_start(), 6 * std::numbers::pi,
                                      {.tolerance = tolerance});
    return std::pair((outcome.state - kepler_start()).norm(), outcome.counts.evaluations);
  };
  const auto [error, work] = error_and_work("abm", 1e-12);
  const auto [error_of_five, work_of_five] = error_and_work("dopri5", 1e-11);
  EXPECT_LT(error, error_of_five);
  EXPECT_LT(static_cast<double>(work), 0.5 * static_cast<double>(work_of_five));
}

// A kink: what is known of the motion before it is no guide, and the order falls to one.
TEST(Abm, BeginsAnewAtAKink) {
  TestEquations equations(1, [](double t, const ConstVector&, VectorRef xdot) {
    xdot[0] = t < 1 ? 1 : -50;
    return Status::ok;
  });
  const Outcome outcome =
      integrate(*find_integrator_type("abm"), equations, scalar(0), 3, {.tolerance = 1e-8, .step = 0.3});
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_GE(outcome.counts.rejected, 3);
  EXPECT_NEAR(outcome.state[0], 1 - 50 * 2, 1e-4);
  EXPECT_LT(outcome.counts.steps, 120);
}

}  // namespace abm_test
}  // namespace bricard

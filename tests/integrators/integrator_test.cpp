// Contract suite of the integrators: everything in integrators.def must pass. Expected values are closed forms.
#include "integrators/integrator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/test_equations.h"

namespace bricard {
namespace integrator_test {

using testing_support::decay;
using testing_support::integrate;
using testing_support::kepler;
using testing_support::kepler_start;
using testing_support::oscillate;
using testing_support::Outcome;
using testing_support::pendulum;
using testing_support::pendulum_period;
using testing_support::pendulum_start;
using testing_support::run;
using testing_support::scalar;
using testing_support::TestEquations;
using testing_support::witch;
using testing_support::witch_solution;

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
  /// A tolerance for adaptive integrators, a step for the others.
  IntegratorOptions options(double tolerance, double fixed_step) const {
    return {.tolerance = tolerance, .step = type().fixed_step ? fixed_step : 0};
  }
  std::unique_ptr<Integrator> create(double tolerance, double fixed_step) const {
    return type().create(options(tolerance, fixed_step));
  }
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

TEST_P(IntegratorContract, FixedStepHasItsOrder) {
  if (!type().fixed_step) GTEST_SKIP();
  std::vector<double> errors;
  for (const double h : {0.1, 0.05, 0.025, 0.0125}) {
    TestEquations equations = witch();
    const Outcome outcome = integrate(type(), equations, scalar(1), 2, {.step = h});
    errors.push_back(std::abs(outcome.state[0] - witch_solution(2)));
    EXPECT_EQ(outcome.counts.steps, std::lround(2 / h));
  }
  for (std::size_t k = 1; k < errors.size(); ++k)
    EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), type().order, 0.3) << "halving " << k;
}

TEST_P(IntegratorContract, ErrorFollowsTolerance) {
  if (type().fixed_step) GTEST_SKIP();
  struct Problem {
    const char* name;
    TestEquations equations;
    Vector start;
    double period;
    double allowed;  // error over tolerance; Kepler's pericentre magnifies local errors
  };
  const Problem problems[] = {{"witch", witch(), scalar(1), 0, 100},
                              {"pendulum", pendulum(), pendulum_start, pendulum_period(), 100},
                              {"Kepler", kepler(), kepler_start(), 2 * std::numbers::pi, 5000}};
  for (const Problem& problem : problems) {
    double previous = std::numeric_limits<double>::infinity();
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      TestEquations equations = problem.equations;
      const double t_end = problem.period > 0 ? problem.period : 2;
      const Vector expected = problem.period > 0 ? problem.start : scalar(witch_solution(2));
      const Outcome outcome = integrate(type(), equations, problem.start, t_end, {.tolerance = tolerance});
      ASSERT_EQ(outcome.status, Status::ok);
      const double error = (outcome.state - expected).cwiseAbs().maxCoeff();
      RecordProperty(std::string(problem.name) + std::to_string(static_cast<int>(-std::log10(tolerance))),
                     std::to_string(error / tolerance));
      EXPECT_LT(error, problem.allowed * tolerance) << problem.name << " at " << tolerance;
      EXPECT_LT(error, previous) << problem.name << " at " << tolerance;
      previous = error;
    }
  }
}

TEST_P(IntegratorContract, WorkGrowsWithTheOrder) {
  if (type().fixed_step || type().order == 0) GTEST_SKIP();
  // Of order eight, steps at looser tolerances are too long for the error to follow its leading term.
  const double loose = type().order > 6 ? 1e-9 : 1e-7;
  std::vector<double> steps;
  for (const double tolerance : {loose, 1e-4 * loose}) {
    TestEquations equations = kepler();
    steps.push_back(static_cast<double>(
        integrate(type(), equations, kepler_start(), 6 * std::numbers::pi, {.tolerance = tolerance}).counts.steps));
  }
  EXPECT_NEAR(std::log(1e4) / std::log(steps[1] / steps[0]), type().order, type().order > 6 ? 1 : 0.6);
}

TEST_P(IntegratorContract, DenseOutputIsAccurateAndEndsInTheStates) {
  TestEquations equations = witch();
  const auto integrator = type().create({.tolerance = 1e-8, .step = 0.05});
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  double worst = 0, from = 0;
  Vector before = scalar(1), x(1);
  ASSERT_EQ(run(*integrator, 3,
                [&] {
                  for (const double s : {0.1, 0.5, 0.9}) {
                    const double t = from + s * (integrator->time() - from);
                    ASSERT_EQ(integrator->interpolate(t, x), Status::ok) << integrator->failure();
                    worst = std::max(worst, std::abs(x[0] - witch_solution(t)));
                  }
                  ASSERT_EQ(integrator->interpolate(from, x), Status::ok);
                  EXPECT_NEAR(x[0], before[0], 1e-7);
                  ASSERT_EQ(integrator->interpolate(integrator->time(), x), Status::ok);
                  EXPECT_EQ(x[0], integrator->state()[0]);
                  EXPECT_EQ(integrator->interpolate(integrator->time() + 0.1, x), Status::failed);
                  EXPECT_EQ(integrator->interpolate(from - 0.1, x), Status::failed);
                  from = integrator->time();
                  before = integrator->state();
                }),
            Status::ok);
  // The cubic Hermite polynomial: h^4 / 384 max |x''''| = 0.05^4 / 384 * 24 = 4e-7.
  EXPECT_LT(worst, 5e-7);
  EXPECT_EQ(equations.evaluations, integrator->counts().evaluations);
}

TEST_P(IntegratorContract, DenseOutputCostsEvaluationsAfterAStartOnly) {
  long evaluations[2];
  for (const bool dense : {false, true}) {
    TestEquations equations = pendulum();
    const auto integrator = create(1e-8, 0.01);
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

TEST_P(IntegratorContract, EndsExactlyOnTimeAndGoesOn) {
  TestEquations equations = decay();
  const auto integrator = create(1e-8, 0.01);
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  double t_end = 0;
  for (int k = 1; k <= 40; ++k) {
    t_end += 0.1 + 0.01 * std::sin(k);
    ASSERT_EQ(run(*integrator, t_end), Status::ok);
    ASSERT_EQ(integrator->time(), t_end);
  }
  EXPECT_NEAR(integrator->state()[0], std::exp(-t_end), 1e-6);
  const IntegratorCounts counts = integrator->counts();
  EXPECT_EQ(integrator->step(t_end), Status::ok);  // nothing left to do
  EXPECT_EQ(integrator->time(), t_end);
  EXPECT_EQ(integrator->counts().steps, counts.steps);
  EXPECT_EQ(integrator->step(t_end + 1e-15), Status::ok);  // not to be told from rounding
  EXPECT_EQ(integrator->time(), t_end + 1e-15);
}

TEST_P(IntegratorContract, StepsAreCountedAndEachIsSeenOnce) {
  TestEquations equations = kepler();
  std::vector<double> seen;
  equations.correction = [&](double t, VectorRef) {
    seen.push_back(t);
    return StepChange::none;
  };
  const Outcome outcome = integrate(type(), equations, kepler_start(), 10, options(1e-7, 0.01));
  EXPECT_EQ(outcome.counts.steps, equations.corrections);
  EXPECT_EQ(outcome.counts.restarts, 0);
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end(), std::greater_equal<>()), seen.end());
  if (!type().fixed_step) {
    EXPECT_GT(outcome.counts.rejected, 0);
  }  // or the test shows little
  // Watching changes nothing.
  TestEquations unwatched = kepler();
  EXPECT_EQ(integrate(type(), unwatched, kepler_start(), 10, options(1e-7, 0.01)).state, outcome.state);
}

TEST_P(IntegratorContract, LargestStepIsRespected) {
  TestEquations equations = decay();
  const auto integrator = type().create({.tolerance = 1e-2, .step = 0.1});
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  double from = 0;
  ASSERT_EQ(run(*integrator, 3,
                [&] {
                  EXPECT_LE(integrator->time() - from, 0.1 * (1 + 1e-9));
                  from = integrator->time();
                }),
            Status::ok);
}

TEST_P(IntegratorContract, CorrectionKeepsTheCircle) {
  TestEquations equations(2, oscillate, [](double, VectorRef x) {
    x.normalize();
    return StepChange::corrected;
  });
  const auto integrator = create(1e-7, 0.05);
  ASSERT_EQ(integrator->start(equations, 0, Eigen::Vector2d(1, 0)), Status::ok);
  ASSERT_EQ(run(*integrator, 100, [&] { EXPECT_NEAR(integrator->state().norm(), 1, 1e-14); }), Status::ok);
  EXPECT_NEAR(integrator->state()[0], std::cos(100.0), 2e-3);
  EXPECT_NEAR(integrator->state()[1], -std::sin(100.0), 2e-3);
  EXPECT_EQ(integrator->counts().steps, equations.corrections);
  EXPECT_EQ(integrator->counts().restarts, 0);
  // The correction must not disturb the step-size control: about as many steps as without it.
  TestEquations free(2, oscillate);
  const Outcome uncorrected = integrate(type(), free, Eigen::Vector2d(1, 0), 100, options(1e-7, 0.05));
  EXPECT_LT(integrator->counts().steps, 1.3 * static_cast<double>(uncorrected.counts.steps));
}

TEST_P(IntegratorContract, NextStepStartsFromTheCorrectedState) {
  // x' = 0 and one is added after each step: the state counts the steps.
  TestEquations equations(
      1,
      [](double, const ConstVector&, VectorRef xdot) {
        xdot.setZero();
        return Status::ok;
      },
      [](double, VectorRef x) {
        x[0] += 1;
        return StepChange::corrected;
      });
  const auto integrator = type().create({.tolerance = 1e-3, .step = 0.01});
  ASSERT_EQ(integrator->start(equations, 0, scalar(0)), Status::ok);
  ASSERT_EQ(run(*integrator, 1,
                [&] { EXPECT_NEAR(integrator->state()[0], static_cast<double>(integrator->counts().steps), 1e-12); }),
            Status::ok);
  EXPECT_GT(integrator->counts().steps, 50);
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

TEST_P(IntegratorContract, ReplacedStateRestarts) {
  // The unit of x changes from 1 to 1/1000 once: x = y / unit, y' = -2 t y^2 / unit.
  double unit = 1;
  TestEquations equations(
      1,
      [&](double t, const ConstVector& y, VectorRef ydot) {
        ydot[0] = -2 * t * y[0] * y[0] / unit;
        return Status::ok;
      },
      [&](double t, VectorRef y) {
        if (t < 1 || unit != 1) return StepChange::none;
        unit = 1000;
        y *= unit;
        return StepChange::replaced;
      });
  const auto integrator = create(1e-8, 0.02);
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  ASSERT_EQ(run(*integrator, 3,
                [&] {
                  EXPECT_NEAR(integrator->state()[0] / unit, witch_solution(integrator->time()), 1e-6);
                  Vector x(1);
                  EXPECT_EQ(integrator->interpolate(integrator->time(), x), Status::ok);
                  EXPECT_EQ(x[0], integrator->state()[0]);
                }),
            Status::ok);
  EXPECT_EQ(unit, 1000);
  EXPECT_EQ(integrator->counts().restarts, 1);
  EXPECT_EQ(integrator->counts().steps, equations.corrections);
  EXPECT_EQ(equations.evaluations, integrator->counts().evaluations);
}

TEST_P(IntegratorContract, RecoverableFailureIsRetriedWithASmallerStep) {
  if (type().fixed_step) GTEST_SKIP();
  // No step can be longer than 0.05: the equations cannot be evaluated farther from the last accepted step.
  double accepted = 0;
  long failures = 0;
  TestEquations equations = decay();
  equations.function = [&](double t, const ConstVector& x, VectorRef xdot) {
    if (t > accepted + 0.05) return ++failures, Status::failed;
    xdot = -x;
    return Status::ok;
  };
  equations.correction = [&](double t, VectorRef) {
    accepted = t;
    return StepChange::none;
  };
  const Outcome outcome = integrate(type(), equations, scalar(1), 2, {.tolerance = 1e-4});
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_NEAR(outcome.state[0], std::exp(-2), 1e-3);
  EXPECT_GT(failures, 0);
  EXPECT_GT(outcome.counts.rejected, 0);
}

TEST_P(IntegratorContract, StepThatCannotBeCorrectedIsRetried) {
  if (type().fixed_step) GTEST_SKIP();
  double accepted = 0;
  TestEquations equations = decay();
  equations.correction = [&](double t, VectorRef) {
    if (t > accepted + 0.05) return StepChange::failed;
    accepted = t;
    return StepChange::none;
  };
  const Outcome outcome = integrate(type(), equations, scalar(1), 2, {.tolerance = 1e-6});
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_NEAR(outcome.state[0], std::exp(-2), 1e-3);
  EXPECT_GT(outcome.counts.rejected, 0);
}

void expect_last_good_state(const Integrator& integrator, double latest) {
  EXPECT_LE(integrator.time(), latest);
  EXPECT_GT(integrator.time(), 0.5 * latest);
  EXPECT_NEAR(integrator.state()[0], std::exp(-integrator.time()), 1e-5);
}

TEST_P(IntegratorContract, PermanentFailureIsReported) {
  TestEquations equations = decay();
  equations.explanation = "the mechanism is in a singular position";
  equations.function = [](double t, const ConstVector& x, VectorRef xdot) {
    if (t > 1) return Status::failed;
    xdot = -x;
    return Status::ok;
  };
  const auto integrator = create(1e-7, 0.07);
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(*integrator, 2), Status::failed);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  expect_last_good_state(*integrator, 1);
  if (!type().fixed_step) {
    EXPECT_NEAR(integrator->time(), 1, 1e-6);
  }
  const std::string message = integrator->failure();
  for (const char* part : {"singular position", type().name, "t = ", "a step of"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(equations.evaluations, integrator->counts().evaluations);
  EXPECT_LT(equations.evaluations, 3000);
  // It may be asked again, and after a new start it works.
  EXPECT_EQ(run(*integrator, 2), Status::failed);
  expect_last_good_state(*integrator, 1);
  equations.function = decay().function;
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  EXPECT_EQ(run(*integrator, 2), Status::ok);
  EXPECT_NEAR(integrator->state()[0], std::exp(-2), 1e-5);
  EXPECT_EQ(equations.evaluations, integrator->counts().evaluations);
}

TEST_P(IntegratorContract, FailureAtTheStartIsReported) {
  TestEquations equations = decay();
  equations.explanation = "no masses";
  equations.function = [](double, const ConstVector&, VectorRef) { return Status::failed; };
  const auto integrator = create(1e-6, 0.1);
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  EXPECT_EQ(integrator->step(1), Status::failed);
  EXPECT_NE(integrator->failure().find("no masses"), std::string::npos) << integrator->failure();
  EXPECT_EQ(integrator->time(), 0);
  EXPECT_EQ(integrator->state()[0], 1);
  EXPECT_LT(equations.evaluations, 10);
}

TEST_P(IntegratorContract, ExceptionEndsTheRunWithItsMessage) {
  for (const bool in_correction : {false, true}) {
    TestEquations equations = decay();
    equations.function = [&](double t, const ConstVector& x, VectorRef xdot) {
      if (t > 0.5 && !in_correction) throw std::runtime_error("matrix is not square");
      xdot = -x;
      return Status::ok;
    };
    equations.correction = [&](double t, VectorRef) {
      if (t > 0.5 && in_correction) throw std::runtime_error("matrix is not square");
      return StepChange::none;
    };
    const auto integrator = type().create({.tolerance = 1e-7, .step = 0.04});
    ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
    EXPECT_EQ(run(*integrator, 2), Status::fatal);
    EXPECT_NE(integrator->failure().find("matrix is not square"), std::string::npos) << integrator->failure();
    expect_last_good_state(*integrator, 0.5);
  }
}

TEST_P(IntegratorContract, FatalFailureIsNotRetried) {
  TestEquations equations = decay();
  long fatal = 0;
  equations.explanation = "the licence of the tyre model has expired";
  equations.function = [&](double t, const ConstVector& x, VectorRef xdot) {
    if (t > 0.5) return ++fatal, Status::fatal;
    xdot = -x;
    return Status::ok;
  };
  const auto integrator = type().create({.tolerance = 1e-7, .step = 0.04});
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  EXPECT_EQ(run(*integrator, 2), Status::fatal);
  EXPECT_EQ(fatal, 1);
  EXPECT_NE(integrator->failure().find("expired"), std::string::npos) << integrator->failure();
  expect_last_good_state(*integrator, 0.5);
}

TEST_P(IntegratorContract, NotANumberIsAFailure) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TestEquations equations = decay();
    equations.function = [bad](double t, const ConstVector& x, VectorRef xdot) {
      xdot[0] = t > 1 ? bad : -x[0];
      return Status::ok;
    };
    const auto integrator = create(1e-7, 0.07);
    ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
    EXPECT_EQ(run(*integrator, 2), Status::failed);
    EXPECT_NE(integrator->failure().find("not finite"), std::string::npos) << integrator->failure();
    expect_last_good_state(*integrator, 1);
  }
}

TEST_P(IntegratorContract, BlowUpIsReportedNotSpunOn) {
  if (type().fixed_step) GTEST_SKIP();
  // x' = x^2, x(0) = 1: x = 1 / (1 - t) has a pole at t = 1.
  TestEquations equations(1, [](double, const ConstVector& x, VectorRef xdot) {
    xdot[0] = x[0] * x[0];
    return Status::ok;
  });
  const auto integrator = type().create({.tolerance = 1e-6});
  ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
  EXPECT_EQ(run(*integrator, 2), Status::failed);
  EXPECT_NEAR(integrator->time(), 1, 1e-3);
  EXPECT_TRUE(integrator->state().allFinite());
  EXPECT_LT(equations.evaluations, 50000);
}

TEST_P(IntegratorContract, UncontrolledComponentDoesNotShrinkSteps) {
  if (type().fixed_step) GTEST_SKIP();
  const auto equations_with = [](bool fast) {
    TestEquations equations(2, [fast](double t, const ConstVector& x, VectorRef xdot) {
      xdot << -x[0], fast ? 1000 * std::cos(1000 * t) : 0;
      return Status::ok;
    });
    equations.uncontrolled = {1};
    return equations;
  };
  TestEquations slow = equations_with(false), fast = equations_with(true);
  const Outcome expected = integrate(type(), slow, Eigen::Vector2d(1, 0), 2, {.tolerance = 1e-7});
  const Outcome outcome = integrate(type(), fast, Eigen::Vector2d(1, 0), 2, {.tolerance = 1e-7});
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_NEAR(outcome.state[0], std::exp(-2), 1e-5);
  EXPECT_LT(outcome.counts.steps, 1.2 * static_cast<double>(expected.counts.steps) + 5);
  // The control: with the component controlled, there are many more.
  fast.uncontrolled.clear();
  fast.evaluations = 0;
  EXPECT_GT(integrate(type(), fast, Eigen::Vector2d(1, 0), 2, {.tolerance = 1e-7}).counts.steps,
            10 * outcome.counts.steps);
}

TEST_P(IntegratorContract, UncontrolledComponentStillDrivesTheOthers) {
  if (type().fixed_step) GTEST_SKIP();
  TestEquations equations(2, oscillate);
  equations.uncontrolled = {1};
  const Outcome outcome = integrate(type(), equations, Eigen::Vector2d(1, 0), 5, {.tolerance = 1e-8});
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_NEAR(outcome.state[0], std::cos(5.0), 1e-5);
}

TEST_P(IntegratorContract, NoStateAtAll) {
  TestEquations equations(0, [](double, const ConstVector&, VectorRef) { return Status::ok; });
  const Outcome outcome = integrate(type(), equations, Vector(0), 3, options(1e-6, 0.5));
  EXPECT_EQ(outcome.status, Status::ok);
  EXPECT_GT(outcome.counts.steps, 0);
}

TEST_P(IntegratorContract, BadInputIsRefusedAtTheStart) {
  TestEquations equations = decay();
  EXPECT_EQ(create(1e-6, 0.1)->start(equations, 0, scalar(std::nan(""))), Status::fatal);
  const auto integrator = create(0, 0);
  EXPECT_EQ(integrator->start(equations, 0, scalar(1)), Status::fatal);
  EXPECT_NE(integrator->failure(), "");
  EXPECT_EQ(integrator->step(1), Status::fatal);
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

// Contract of an integrator of x' = f(t, x), against closed forms: its order by halving steps, or errors that follow
// the tolerance; dense output; ends and events; corrections and replacements of the state; failures of every kind,
// which it survives or reports. Of fixed-step methods it takes those of order two or more.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "integrators/integrator.h"
#include "testing/test_equations.h"

namespace bricard::contracts {

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

class IntegratorContract {
 public:
  explicit IntegratorContract(const IntegratorType& type) : type_(type) {}

  void fixed_step_has_its_order() const {
    if (!type_.fixed_step) return;
    std::vector<double> errors;
    for (const double h : {0.1, 0.05, 0.025, 0.0125}) {
      TestEquations equations = witch();
      const Outcome outcome = integrate(type_, equations, scalar(1), 2, {.step = h});
      errors.push_back(std::abs(outcome.state[0] - witch_solution(2)));
      EXPECT_EQ(outcome.counts.steps, std::lround(2 / h));
    }
    for (std::size_t k = 1; k < errors.size(); ++k)
      EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), type_.order, 0.3) << "halving " << k;
  }

  void error_follows_tolerance() const {
    if (type_.fixed_step) return;
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
        const Outcome outcome = integrate(type_, equations, problem.start, t_end, {.tolerance = tolerance});
        ASSERT_EQ(outcome.status, Status::ok);
        const double error = (outcome.state - expected).cwiseAbs().maxCoeff();
        EXPECT_LT(error, problem.allowed * tolerance) << problem.name << " at " << tolerance;
        EXPECT_LT(error, previous) << problem.name << " at " << tolerance;
        previous = error;
      }
    }
  }

  void work_grows_with_the_order() const {
    if (type_.fixed_step || type_.order == 0) return;
    // Of order eight, steps at looser tolerances are too long for the error to follow its leading term.
    const double loose = type_.order > 6 ? 1e-9 : 1e-7;
    std::vector<double> steps;
    for (const double tolerance : {loose, 1e-4 * loose}) {
      TestEquations equations = kepler();
      steps.push_back(static_cast<double>(
          integrate(type_, equations, kepler_start(), 6 * std::numbers::pi, {.tolerance = tolerance}).counts.steps));
    }
    EXPECT_NEAR(std::log(1e4) / std::log(steps[1] / steps[0]), type_.order, type_.order > 6 ? 1 : 0.6);
  }

  void dense_output_is_accurate_and_ends_in_the_states() const {
    TestEquations equations = witch();
    const auto integrator = type_.create(limited(1e-8, 0.05));
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

  void ends_exactly_on_time_and_goes_on() const {
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

  /// A ball on a spring that bounces off x = 0: x = |cos t|.
  void events_are_located_and_restarted_from() const {
    TestEquations equations(2, oscillate);
    const auto integrator = create(1e-9, 0.01);
    Vector x = Eigen::Vector2d(1, 0);
    ASSERT_EQ(integrator->start(equations, 0, x), Status::ok);
    int events = 0;
    for (double before = 0; integrator->time() < 10; before = integrator->time()) {
      ASSERT_EQ(integrator->step(10), Status::ok) << integrator->failure();
      if (integrator->state()[0] >= 0) continue;
      double from = before, to = integrator->time();
      while (to - from > 1e-12) {
        const double middle = 0.5 * (from + to);
        ASSERT_EQ(integrator->interpolate(middle, x), Status::ok);
        (x[0] < 0 ? to : from) = middle;
      }
      EXPECT_NEAR(from, (events++ + 0.5) * std::numbers::pi, 1e-5);
      ASSERT_EQ(integrator->interpolate(from, x), Status::ok);
      x[1] = -x[1];
      ASSERT_EQ(integrator->start(equations, from, x), Status::ok);
      EXPECT_EQ(integrator->time(), from);
    }
    EXPECT_EQ(events, 3);
    EXPECT_NEAR(integrator->state()[0], std::abs(std::cos(10.0)), 1e-5);
  }

  void steps_are_counted_and_each_is_seen_once() const {
    TestEquations equations = kepler();
    std::vector<double> seen;
    equations.correction = [&](double t, VectorRef) {
      seen.push_back(t);
      return StepChange::none;
    };
    const Outcome outcome = integrate(type_, equations, kepler_start(), 10, options(1e-7, 0.01));
    EXPECT_EQ(outcome.counts.steps, equations.corrections);
    EXPECT_EQ(outcome.counts.restarts, 0);
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end(), std::greater_equal<>()), seen.end());
    if (!type_.fixed_step) {
      EXPECT_GT(outcome.counts.rejected, 0);
    }  // or the test shows little
    // Watching changes nothing.
    TestEquations unwatched = kepler();
    EXPECT_EQ(integrate(type_, unwatched, kepler_start(), 10, options(1e-7, 0.01)).state, outcome.state);
  }

  void largest_step_is_respected() const {
    TestEquations equations = decay();
    const auto integrator = type_.create({.tolerance = 1e-2, .step = 0.1});
    ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
    double from = 0;
    ASSERT_EQ(run(*integrator, 3,
                  [&] {
                    EXPECT_LE(integrator->time() - from, 0.1 * (1 + 1e-9));
                    from = integrator->time();
                  }),
              Status::ok);
  }

  void correction_keeps_the_circle() const {
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
    const Outcome uncorrected = integrate(type_, free, Eigen::Vector2d(1, 0), 100, options(1e-7, 0.05));
    EXPECT_LT(integrator->counts().steps, 1.3 * static_cast<double>(uncorrected.counts.steps));
  }

  void next_step_starts_from_the_corrected_state() const {
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
    const auto integrator = type_.create({.tolerance = 1e-3, .step = 0.01});
    ASSERT_EQ(integrator->start(equations, 0, scalar(0)), Status::ok);
    ASSERT_EQ(run(*integrator, 1,
                  [&] { EXPECT_NEAR(integrator->state()[0], static_cast<double>(integrator->counts().steps), 1e-12); }),
              Status::ok);
    EXPECT_GT(integrator->counts().steps, 50);
  }

  void replaced_state_restarts() const {
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

  void recoverable_failure_is_retried_with_a_smaller_step() const {
    if (type_.fixed_step) return;
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
    const Outcome outcome = integrate(type_, equations, scalar(1), 2, {.tolerance = 1e-4});
    EXPECT_EQ(outcome.status, Status::ok);
    EXPECT_NEAR(outcome.state[0], std::exp(-2), 1e-3);
    EXPECT_GT(failures, 0);
    EXPECT_GT(outcome.counts.rejected, 0);
  }

  void step_that_cannot_be_corrected_is_retried() const {
    if (type_.fixed_step) return;
    double accepted = 0;
    TestEquations equations = decay();
    equations.correction = [&](double t, VectorRef) {
      if (t > accepted + 0.05) return StepChange::failed;
      accepted = t;
      return StepChange::none;
    };
    const Outcome outcome = integrate(type_, equations, scalar(1), 2, {.tolerance = 1e-6});
    EXPECT_EQ(outcome.status, Status::ok);
    EXPECT_NEAR(outcome.state[0], std::exp(-2), 1e-3);
    EXPECT_GT(outcome.counts.rejected, 0);
  }

  void permanent_failure_is_reported() const {
    TestEquations equations = decay();
    equations.explanation = "the mechanism is in a singular position";
    equations.function = [](double t, const ConstVector& x, VectorRef xdot) {
      if (t > 1) return Status::failed;
      xdot = -x;
      return Status::ok;
    };
    const auto integrator = create(1e-7, 0.07);
    ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(run(*integrator, 2), Status::failed);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    expect_last_good_state(*integrator, 1);
    if (!type_.fixed_step) {
      EXPECT_NEAR(integrator->time(), 1, 1e-6);
    }
    const std::string message = integrator->failure();
    for (const char* part : {"singular position", type_.name, "t = ", "a step of"})
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

  void failure_at_the_start_is_reported() const {
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

  void exception_ends_the_run_with_its_message() const {
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
      const auto integrator = type_.create(limited(1e-7, 0.04));
      ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
      EXPECT_EQ(run(*integrator, 2), Status::fatal);
      EXPECT_NE(integrator->failure().find("matrix is not square"), std::string::npos) << integrator->failure();
      expect_last_good_state(*integrator, 0.5);
    }
  }

  void fatal_failure_is_not_retried() const {
    TestEquations equations = decay();
    long fatal = 0;
    equations.explanation = "the licence of the tyre model has expired";
    equations.function = [&](double t, const ConstVector& x, VectorRef xdot) {
      if (t > 0.5) return ++fatal, Status::fatal;
      xdot = -x;
      return Status::ok;
    };
    const auto integrator = type_.create(limited(1e-7, 0.04));
    ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
    EXPECT_EQ(run(*integrator, 2), Status::fatal);
    EXPECT_EQ(fatal, 1);
    EXPECT_NE(integrator->failure().find("expired"), std::string::npos) << integrator->failure();
    expect_last_good_state(*integrator, 0.5);
  }

  void not_a_number_is_a_failure() const {
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

  void blow_up_is_reported_not_spun_on() const {
    if (type_.fixed_step) return;
    // x' = x^2, x(0) = 1: x = 1 / (1 - t) has a pole at t = 1.
    TestEquations equations(1, [](double, const ConstVector& x, VectorRef xdot) {
      xdot[0] = x[0] * x[0];
      return Status::ok;
    });
    const auto integrator = type_.create({.tolerance = 1e-6});
    ASSERT_EQ(integrator->start(equations, 0, scalar(1)), Status::ok);
    EXPECT_EQ(run(*integrator, 2), Status::failed);
    EXPECT_NEAR(integrator->time(), 1, 1e-3);
    EXPECT_TRUE(integrator->state().allFinite());
    EXPECT_LT(equations.evaluations, 50000);
  }

  void uncontrolled_component_does_not_shrink_steps() const {
    if (type_.fixed_step) return;
    const auto equations_with = [](bool fast) {
      TestEquations equations(2, [fast](double t, const ConstVector& x, VectorRef xdot) {
        xdot << -x[0], fast ? 1000 * std::cos(1000 * t) : 0;
        return Status::ok;
      });
      equations.uncontrolled = {1};
      return equations;
    };
    TestEquations slow = equations_with(false), fast = equations_with(true);
    const Outcome expected = integrate(type_, slow, Eigen::Vector2d(1, 0), 2, {.tolerance = 1e-7});
    const Outcome outcome = integrate(type_, fast, Eigen::Vector2d(1, 0), 2, {.tolerance = 1e-7});
    EXPECT_EQ(outcome.status, Status::ok);
    EXPECT_NEAR(outcome.state[0], std::exp(-2), 1e-5);
    EXPECT_LT(outcome.counts.steps, 1.2 * static_cast<double>(expected.counts.steps) + 5);
    // The control: with the component controlled, there are many more.
    fast.uncontrolled.clear();
    fast.evaluations = 0;
    EXPECT_GT(integrate(type_, fast, Eigen::Vector2d(1, 0), 2, {.tolerance = 1e-7}).counts.steps,
              10 * outcome.counts.steps);
  }

  void uncontrolled_component_still_drives_the_others() const {
    if (type_.fixed_step) return;
    TestEquations equations(2, oscillate);
    equations.uncontrolled = {1};
    const Outcome outcome = integrate(type_, equations, Eigen::Vector2d(1, 0), 5, {.tolerance = 1e-8});
    EXPECT_EQ(outcome.status, Status::ok);
    EXPECT_NEAR(outcome.state[0], std::cos(5.0), 1e-5);
  }

  void no_state_at_all() const {
    TestEquations equations(0, [](double, const ConstVector&, VectorRef) { return Status::ok; });
    const Outcome outcome = integrate(type_, equations, Vector(0), 3, options(1e-6, 0.5));
    EXPECT_EQ(outcome.status, Status::ok);
    EXPECT_GT(outcome.counts.steps, 0);
  }

  void bad_input_is_refused_at_the_start() const {
    TestEquations equations = decay();
    EXPECT_EQ(create(1e-6, 0.1)->start(equations, 0, scalar(std::nan(""))), Status::fatal);
    const auto integrator = create(0, 0);
    EXPECT_EQ(integrator->start(equations, 0, scalar(1)), Status::fatal);
    EXPECT_NE(integrator->failure(), "");
    EXPECT_EQ(integrator->step(1), Status::fatal);
  }

 private:
  /// Steps are given for methods of order four; others need shorter ones for such an accuracy.
  double fixed_step(double of_order_four) const {
    if (type_.order >= 4 || of_order_four == 0) return of_order_four;
    return std::max(1e-4, 0.25 * std::pow(of_order_four, 4.0 / type_.order));
  }
  /// A tolerance for adaptive integrators, a step for the others.
  IntegratorOptions options(double tolerance, double step) const {
    return {.tolerance = tolerance, .step = type_.fixed_step ? fixed_step(step) : 0};
  }
  /// The same with a largest step for adaptive ones.
  IntegratorOptions limited(double tolerance, double step) const {
    return {.tolerance = tolerance, .step = type_.fixed_step ? fixed_step(step) : step};
  }
  std::unique_ptr<Integrator> create(double tolerance, double step) const {
    return type_.create(options(tolerance, step));
  }
  static void expect_last_good_state(const Integrator& integrator, double latest) {
    EXPECT_LE(integrator.time(), latest);
    EXPECT_GT(integrator.time(), 0.5 * latest);
    EXPECT_NEAR(integrator.state()[0], std::exp(-integrator.time()), 1e-5);
  }

  const IntegratorType& type_;
};

inline void expect_integrator_contract(const std::string& name) {
  const IntegratorType* type = find_integrator_type(name);
  ASSERT_NE(type, nullptr) << "there is no integrator '" << name << "': is it registered?";
  ASSERT_TRUE(type->create) << "it integrates constrained equations themselves";
  ASSERT_FALSE(type->fixed_step && type->order < 2) << "methods of order one are not examined";
  SCOPED_TRACE(name);
  const IntegratorContract contract(*type);
  using Part = void (IntegratorContract::*)() const;
  const std::pair<const char*, Part> parts[] = {
      {"fixed step has its order", &IntegratorContract::fixed_step_has_its_order},
      {"error follows tolerance", &IntegratorContract::error_follows_tolerance},
      {"work grows with the order", &IntegratorContract::work_grows_with_the_order},
      {"dense output is accurate and ends in the states",
       &IntegratorContract::dense_output_is_accurate_and_ends_in_the_states},
      {"ends exactly on time and goes on", &IntegratorContract::ends_exactly_on_time_and_goes_on},
      {"events are located and restarted from", &IntegratorContract::events_are_located_and_restarted_from},
      {"steps are counted and each is seen once", &IntegratorContract::steps_are_counted_and_each_is_seen_once},
      {"largest step is respected", &IntegratorContract::largest_step_is_respected},
      {"correction keeps the circle", &IntegratorContract::correction_keeps_the_circle},
      {"next step starts from the corrected state", &IntegratorContract::next_step_starts_from_the_corrected_state},
      {"replaced state restarts", &IntegratorContract::replaced_state_restarts},
      {"recoverable failure is retried with a smaller step",
       &IntegratorContract::recoverable_failure_is_retried_with_a_smaller_step},
      {"step that cannot be corrected is retried", &IntegratorContract::step_that_cannot_be_corrected_is_retried},
      {"permanent failure is reported", &IntegratorContract::permanent_failure_is_reported},
      {"failure at the start is reported", &IntegratorContract::failure_at_the_start_is_reported},
      {"exception ends the run with its message", &IntegratorContract::exception_ends_the_run_with_its_message},
      {"fatal failure is not retried", &IntegratorContract::fatal_failure_is_not_retried},
      {"not a number is a failure", &IntegratorContract::not_a_number_is_a_failure},
      {"blow up is reported not spun on", &IntegratorContract::blow_up_is_reported_not_spun_on},
      {"uncontrolled component does not shrink steps",
       &IntegratorContract::uncontrolled_component_does_not_shrink_steps},
      {"uncontrolled component still drives the others",
       &IntegratorContract::uncontrolled_component_still_drives_the_others},
      {"no state at all", &IntegratorContract::no_state_at_all},
      {"bad input is refused at the start", &IntegratorContract::bad_input_is_refused_at_the_start},
  };
  for (const auto& [what, part] : parts) {
    SCOPED_TRACE(what);
    (contract.*part)();
  }
}

}  // namespace bricard::contracts

// Every analysis ends: what would take too much is refused before, what turns out to take too much stops with its rows.
#include "analyses/run/budget.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analyses/linear/modes.h"
#include "bricard/equilibrium.h"
#include "bricard/input_error.h"
#include "bricard/inverse_dynamics.h"
#include "bricard/kinematics.h"
#include "bricard/simulate.h"
#include "support/models.h"

namespace bricard {
namespace budget_test {

using testing_support::generated;
using testing_support::shipped;

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// A rod whose drive has a pole at t = pi/8.
std::shared_ptr<const Model> pole() {
  return load_text(
      "bricard: 1\ndimension: planar\nbodies:\n  rod: {mass: 2, inertia: 0.3, center: [0.5, 0]}\n"
      "joints:\n  A: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
      "motions:\n  drive: {joint: A, position: 'tan(4*t)'}\nsimulation: {duration: 2, output_step: 0.1}\n",
      "pole");
}

TEST(Budget, StepsTowardsAPoleAreHopeless) {
  Pace pace(1e7);
  double t = 0;
  long steps = 0;
  while (!pace.is_hopeless(steps, t, 1)) {
    t += 0.1 * (0.5 - t) * (0.5 - t);  // as a rotation with the angle 1/(0.5 - t) needs
    ASSERT_LT(++steps, 400'000);
  }
  EXPECT_NEAR(t, 0.5, 1e-3);
}

TEST(Budget, ShortPhasesAndEvenStepsAreNot) {
  Pace pace(1e7);
  double t = 0;
  long steps = 0;
  const auto go = [&](double h, long count) {
    for (long k = 0; k < count; ++k) {
      t += h;
      if (pace.is_hopeless(++steps, t, 1)) return false;
    }
    return true;
  };
  EXPECT_TRUE(go(1e-6, 100'000));
  EXPECT_TRUE(go(1e-9, 40'000));  // a thousand times shorter for a while
  EXPECT_TRUE(go(1e-6, 800'000));
}

TEST(Budget, RowsAreCountedBeforeTheRun) {
  Method method;
  method.duration = 4, method.output_step = 1e-8;
  const std::string text = refusal([&] { simulate(shipped("pendulum"), method); });
  EXPECT_NE(text.find("rows of"), std::string::npos) << text;
  EXPECT_NE(text.find("output step"), std::string::npos) << text;
  EXPECT_NE(text.find("--memory-limit"), std::string::npos) << text;
  method.output_step = 0.01, method.memory_limit = 1e-3;  // 1 kB
  EXPECT_FALSE(refusal([&] { simulate(shipped("pendulum"), method); }).empty());
  EXPECT_FALSE(refusal([&] { kinematics(shipped("driven-four-bar"), method); }).empty());
}

TEST(Budget, StepsEndARunWithItsRows) {
  Method method;
  method.duration = 1000, method.output_step = 0.01, method.max_steps = 200;
  const SimulationResult result = simulate(shipped("double-pendulum"), method);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("--max-steps"), std::string::npos) << result.summary.failure;
  EXPECT_GE(result.summary.steps + result.summary.rejected, 200);
  EXPECT_LE(result.summary.steps + result.summary.rejected, 220);
  EXPECT_GT(result.data.rows.size(), 10u);
  EXPECT_EQ(static_cast<long>(result.data.rows.size()), result.summary.outputs);
}

TEST(Budget, TimeEndsARunWithItsRows) {
  Method method;
  method.duration = 1e5, method.output_step = 10, method.time_limit = 0.05;
  const SimulationResult result = simulate(shipped("double-pendulum"), method);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("--time-limit"), std::string::npos) << result.summary.failure;
  EXPECT_GE(result.data.rows.size(), 1u);
}

TEST(Budget, TheTimeOfAKinematicAnalysisIsBounded) {
  Method method;
  method.duration = 1000, method.output_step = 1e-3, method.time_limit = 0.01;
  MemorySink rows;
  const KinematicsSummary summary = kinematics(shipped("driven-four-bar"), method, rows);
  EXPECT_FALSE(summary.ok());
  EXPECT_NE(summary.failure.find("--time-limit"), std::string::npos) << summary.failure;
  EXPECT_GE(rows.rows.size(), 1u);
}

TEST(Budget, APoleStopsARun) {
  const SimulationResult result = simulate(pole());
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.summary.failure.find("body rod "), std::string::npos) << result.summary.failure;
  EXPECT_NEAR(result.summary.time, M_PI / 8, 0.01);
  EXPECT_EQ(result.data.rows.size(), 4u);  // 0, 0.1, 0.2, 0.3
}

TEST(Budget, APoleStopsKinematicsAndInverseDynamics) {
  const KinematicsResult driven = kinematics(pole());
  EXPECT_FALSE(driven.ok());
  EXPECT_EQ(driven.data.rows.size(), 4u);
  EXPECT_NEAR(driven.summary.time, 0.3, 1e-9);
  const InverseResult inverse = inverse_dynamics(pole());
  EXPECT_FALSE(inverse.ok());
  EXPECT_FALSE(inverse.summary.failure.empty());
}

TEST(Budget, DenseAnalysesSayWhatTheyWouldTake) {
  const auto chain = generated("spatial-chain", 1000);
  Method method;
  method.duration = 1, method.output_step = 0.01;
  for (const std::string& text : {refusal([&] { find_modes(chain); }), refusal([&] { find_equilibrium(chain); }),
                                  refusal([&] { inverse_dynamics(chain, method); })}) {
    EXPECT_NE(text.find("6000 coordinates"), std::string::npos) << text;
    EXPECT_NE(text.find("--time-limit"), std::string::npos) << text;
    EXPECT_NE(text.find("B,"), std::string::npos) << text;  // MB or GB
  }
  // A limit that is given decides, either way.
  ModesOptions little, enough;
  little.memory_limit = 1e-6, enough.time_limit = 10;
  EXPECT_FALSE(refusal([&] { find_modes(shipped("double-pendulum"), little); }).empty());
  EXPECT_TRUE(find_modes(shipped("double-pendulum"), enough).ok);
  method.formulation = "nullspace-svd", method.coordinates = "reference-point";
  EXPECT_NE(refusal([&] { simulate(generated("closed-chain", 300), method); }).find("nullspace-svd"),
            std::string::npos);
}

}  // namespace budget_test
}  // namespace bricard

// The speed of integration as a reason to change independent coordinates [Jalon-Bayo 5.2.1].
#include "motions/step_watch.h"

#include <gtest/gtest.h>

#include "bricard/input_error.h"
#include "bricard/simulate.h"
#include "support/models.h"

namespace bricard::testing_support {
namespace step_watch_test {

TEST(StepWatch, WantsTwoShortStepsRunningAndTenBefore) {
  StepWatch watch;
  double t = 0;
  const auto step = [&](double h) { return watch.is_slow_at(t += h); };
  EXPECT_FALSE(watch.is_slow_at(t));
  for (int k = 0; k < 9; ++k) EXPECT_FALSE(step(0.1));
  EXPECT_FALSE(step(0.01));  // the tenth: nothing to compare it with
  EXPECT_FALSE(step(0.01));
  EXPECT_FALSE(step(0.1));
  EXPECT_FALSE(step(0.021));  // more than a fifth of the median, 0.1
  EXPECT_FALSE(step(0.019));
  EXPECT_TRUE(step(0.019));
  watch.forget();
  for (int k = 0; k < 10; ++k) EXPECT_FALSE(step(0.001)) << "no change is judged before ten steps";
  for (int k = 0; k < 100; ++k) EXPECT_FALSE(step(0.002));
  EXPECT_FALSE(step(-0.1)) << "a run that went back";
  EXPECT_FALSE(step(0.0003));
  EXPECT_TRUE(step(0.0003));
}

TEST(StepWatch, ChangesTheCoordinateBeforeItsSingularPosition) {
  // Natural coordinates: singular vectors choose x of O2, which does not move at alpha1 = pi/2, at 0.1618 s.
  Method method{.coordinates = "natural", .formulation = "independent", .integrator = "dopri5"};
  method.selection = "svd-coordinates", method.renewal = "speed", method.rescue = "off";
  method.tolerance = 1e-6, method.output_step = 0.05;
  const auto changes_until = [&](double end) {
    method.duration = end;
    const SimulationResult result = simulate(shipped("four-bar"), method);
    EXPECT_TRUE(result.ok()) << end << ": " << result.summary.failure;
    return result.summary.renewals;
  };
  EXPECT_EQ(changes_until(0.15), 0);
  EXPECT_EQ(changes_until(0.17), 1);
  method.duration = 10;
  for (const double tolerance : {1e-6, 1e-8}) {
    method.tolerance = tolerance;
    const SimulationResult whole = simulate(shipped("four-bar"), method);
    ASSERT_TRUE(whole.ok()) << tolerance << ": " << whole.summary.failure;
    EXPECT_NEAR(whole.data.at(whole.data.rows.size() - 1, "alpha"), 79.340798253554, 0.1) << tolerance;
    EXPECT_GE(whole.summary.renewals, 25);  // x of O2 is lost twice a turn, and so is y
  }
}

TEST(StepWatch, NeedsStepsThatTheIntegratorChooses) {
  const auto refusal = [](Method method) -> std::string {
    method.renewal = "speed", method.duration = 0.1;
    try {
      simulate(shipped("four-bar"), method);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Method method{.coordinates = "natural", .formulation = "independent", .integrator = "rk4"};
  method.step = 0.001;
  EXPECT_NE(refusal(method).find("'rk4' does not"), std::string::npos) << refusal(method);
  EXPECT_NE(refusal({.formulation = "lagrange"}).find("not for 'lagrange'"), std::string::npos);
  method = {.coordinates = "natural", .formulation = "independent", .integrator = "dopri5"};
  method.partition = "once";
  EXPECT_NE(refusal(method).find("partition 'once' keeps"), std::string::npos) << refusal(method);
}

}  // namespace step_watch_test
}  // namespace bricard::testing_support

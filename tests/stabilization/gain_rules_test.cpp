// Rules for Baumgarte's gains: what they leave of the constraints on the four-bar linkage, rk4 with h = 0.01.
#include <gtest/gtest.h>

#include "bricard/input_error.h"
#include "bricard/simulate.h"
#include "support/models.h"

namespace bricard {
namespace gain_rules_test {

Method with_rule(const std::string& rule, double fraction = unset) {
  Method method;
  method.coordinates = "natural", method.formulation = "lagrange", method.stabilization = "baumgarte";
  method.integrator = "rk4", method.step = 0.01, method.duration = 10, method.rescue = "off";
  method.dynamics = "whole";
  method.gains = rule, method.gain_fraction = fraction;
  return method;
}

Summary run_of(const Method& method) { return simulate(testing_support::shipped("four-bar"), method).summary; }

// Independent runs with c = alpha h: 7e-6 at c = 0.1 (the default part of the limit, 0.036), 1.4e-3 at c = 1.6, where
// errors decay fastest, 7e-6 with gains of 10; c = 2.9, beyond the limit, diverges at once.
TEST(GainRules, StabilityFollowsTheStep) {
  const Summary tenth = run_of(with_rule("stability"));
  ASSERT_TRUE(tenth.ok()) << tenth.failure;
  EXPECT_GT(tenth.constraint_position_max, 2e-6);
  EXPECT_LT(tenth.constraint_position_max, 2e-5);
  const Summary fastest = run_of(with_rule("stability", 1.6 / 2.785293563405282));
  ASSERT_TRUE(fastest.ok()) << fastest.failure;
  EXPECT_GT(fastest.constraint_position_max, 5e-4);
  EXPECT_LT(fastest.constraint_position_max, 4e-3);
  Method beyond = with_rule("fixed");
  beyond.alpha = beyond.beta = 290;
  const Summary diverged = run_of(beyond);
  EXPECT_TRUE(!diverged.ok() || diverged.constraint_position_max > 0.1);
}

// Independent runs settle at 10 to 22, with an error of 1.5e-5.
TEST(GainRules, AdaptiveSettlesWhereErrorsAreSmall) {
  for (const double alpha : {1.0, 100.0}) {
    Method method = with_rule("adaptive");
    method.alpha = alpha;
    method.duration = 30;
    const SimulationResult run = simulate(testing_support::shipped("four-bar"), method);
    ASSERT_TRUE(run.ok()) << run.summary.failure;
    double late = 0;
    for (std::size_t k = run.data.rows.size() / 2; k < run.data.rows.size(); ++k)
      late = std::max(late, run.data.at(k, "constraint.position"));
    EXPECT_LT(late, 6e-5) << alpha;
  }
}

TEST(GainRules, AreRefusedWhereNoLimitIsKnown) {
  const auto refusal = [](const std::string& integrator, const std::string& rule) -> std::string {
    Method method = with_rule(rule);
    method.integrator = integrator, method.step = unset, method.duration = 0.1;
    try {
      return run_of(method).ok() ? "" : "failed";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  for (const char* integrator : {"dopri5", "verner6", "dop853"}) EXPECT_EQ(refusal(integrator, "stability"), "");
  EXPECT_NE(refusal("bdf", "stability").find("stable with gains of any size"), std::string::npos);
  EXPECT_EQ(refusal("bdf", "adaptive"), "");
  for (const char* integrator : {"adams", "abm"})
    EXPECT_NE(refusal(integrator, "stability").find("changes with its order"), std::string::npos) << integrator;
  Method other = with_rule("stability");
  other.stabilization = "projection";
  EXPECT_THROW(run_of(other), InputError);
}

// What a rule sets is the gain of whichever engine runs.
TEST(GainRules, ReachEveryEngine) {
  std::vector<double> errors;
  for (const char* engine : {"whole", "bodies"}) {
    Method method = with_rule("stability");
    method.coordinates = "reference-point", method.dynamics = engine;
    errors.push_back(run_of(method).constraint_position_max);
  }
  EXPECT_NEAR(errors[0] / errors[1], 1, 0.01);
}

}  // namespace gain_rules_test
}  // namespace bricard

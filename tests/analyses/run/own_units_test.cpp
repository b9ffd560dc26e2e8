#include "analyses/run/own_units.h"

#include <gtest/gtest.h>

#include "support/option_values.h"

namespace bricard {
namespace own_units_test {

TEST(OwnUnits, MeasureTheNumbersOfAMethod) {
  Method method;
  for (const MethodOption& option : method_options())
    testing_support::set(method, option, testing_support::good_value(option));
  const Units units = {.length = 4, .mass = 4, .time = 2};
  const Method own = measured_in(units, method), back = measured_in(units.inverse(), own);
  for (const MethodOption& option : method_options())
    EXPECT_TRUE(testing_support::same(back, method, option)) << option.key;
  EXPECT_EQ(own.duration, method.duration / 2);
  EXPECT_EQ(own.output_step, method.output_step / 2);
  EXPECT_EQ(own.step, method.step / 2);
  EXPECT_EQ(own.alpha, method.alpha * 2);
  EXPECT_EQ(own.beta, method.beta * 2);
  EXPECT_EQ(own.omega, method.omega * 2);
  EXPECT_EQ(own.reaction_length, method.reaction_length / 4);
  EXPECT_EQ(method.penalty_kind, "absolute");
  EXPECT_EQ(own.penalty, method.penalty / 4);
  EXPECT_EQ(method.threshold_kind, "absolute");
  EXPECT_EQ(own.threshold, method.threshold * 2);  // of P M^-1/2
  method.penalty_kind = "relative";
  EXPECT_EQ(measured_in(units, method).penalty, method.penalty);
  // The clock on the wall and pure numbers do not change.
  for (const char* const key : {"time_limit", "memory_limit", "max_steps", "tolerance", "mu", "iterations", "seed"})
    EXPECT_TRUE(testing_support::same(own, method, method_option(key))) << key;
}

// A watch: its numbers are refused as they were given, not in its own units.
TEST(OwnUnits, RefuseNumbersAsTheyWereGiven) {
  auto model = std::make_shared<Model>();
  model->dimension = Dimension::planar;
  Body body;
  body.name = "hand";
  body.mass = 1e-6;
  body.inertia = Mat3::Identity() * 1e-12;
  body.center = {1e-3, 0, 0};
  model->bodies.push_back(body);
  ASSERT_FALSE(own_units(*model).are_si());
  try {
    simulate(std::shared_ptr<const Model>(model), {.step = -3});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "step must be a positive number, not -3");
  }
}

}  // namespace own_units_test
}  // namespace bricard

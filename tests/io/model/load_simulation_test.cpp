// Every option of a method is a key under `simulation:`, in files and in models made by programs.
#include <gtest/gtest.h>

#include "bricard/load.h"
#include "bricard/model_builder.h"
#include "support/option_values.h"

namespace bricard {
namespace load_simulation_test {

using testing_support::bad_values;
using testing_support::good_value;
using testing_support::same;
using testing_support::set;

std::shared_ptr<const Model> model_with(const std::string& simulation) {
  return load_text(
      "bricard: 1\ndimension: planar\nbodies: {b: {mass: 1, inertia: 1, center: [0, 0]}}\n"
      "simulation: {" +
          simulation + "}\n",
      "m.yaml");
}

TEST(LoadSimulation, TakesEveryOption) {
  for (const MethodOption& option : method_options()) {
    Method expected;
    set(expected, option, good_value(option));
    const Method read = model_with(std::string(option.key) + ": " + good_value(option))->simulation;
    EXPECT_TRUE(same(read, expected, option)) << option.key;
    for (const MethodOption& other : method_options()) {
      if (&other != &option) {
        EXPECT_FALSE(testing_support::is_set(read, other)) << option.key << ", " << other.key;
      }
    }
  }
}

TEST(LoadSimulation, RefusesBadNumbersWhereTheyStand) {
  for (const MethodOption& option : method_options()) {
    if (!std::holds_alternative<double Method::*>(option.member)) continue;
    for (const std::string& value : bad_values(option)) {
      try {
        model_with(std::string(option.key) + ": " + value);
        ADD_FAILURE() << option.key << " " << value;
      } catch (const InputError& error) {
        ASSERT_EQ(error.diagnostics.size(), 1u);
        EXPECT_EQ(error.diagnostics[0].path, std::string("simulation.") + option.key);
        EXPECT_EQ(error.diagnostics[0].line, 4);
      }
    }
  }
}

TEST(LoadSimulation, BuilderGivesEveryOption) {
  Method method;
  for (const MethodOption& option : method_options()) set(method, option, good_value(option));
  ModelBuilder m(Dimension::planar);
  m.body("b", {.mass = 1, .inertia = 1, .center = {0, 0}});
  m.simulation(method);
  const Method built = m.build()->simulation;
  for (const MethodOption& option : method_options()) EXPECT_TRUE(same(built, method, option)) << option.key;
}

}  // namespace load_simulation_test
}  // namespace bricard

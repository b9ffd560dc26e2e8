// `bricard equilibrium` as users call it.
#include "support/command_fixture.h"

namespace equilibrium_command_test {

using namespace bricard::testing_support;

class EquilibriumCommand : public CommandFixture {
 protected:
  Outcome call(const std::string& arguments) const { return run("equilibrium " + arguments); }
};

TEST_F(EquilibriumCommand, PrintsReactionsAndMarksThoseThatAreNotUnique) {
  const Outcome outcome = call(models + "four-legged-table.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* part : {"25.025*", "33.025*", "stable", "statically indeterminate"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in\n" << outcome.out;
}

TEST_F(EquilibriumCommand, JsonHasEverything) {
  const Outcome outcome = call(models + "pendulum.yaml --set theta0='90 deg' --any --json");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* part : {"\"status\": \"ok\"", "\"stability\": \"unstable\"", "\"A.angle\"", "\"unique\": true",
                           "\"potential_energy\": 49", "\"smallest_stiffness\": -156."})
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in\n" << outcome.out;
}

TEST_F(EquilibriumCommand, WritesARow) {
  const std::string csv = folder_ / "rest.csv";
  EXPECT_EQ(call(models + "moving-pivot.yaml --output " + csv).code, 0);
  const std::string text = read(csv);
  EXPECT_TRUE(text.starts_with("slider.x,slider.y,slider.angle,rod.x,")) << text;
  EXPECT_TRUE(contains(text, "drive.effort,energy.potential\n")) << text;
}

TEST_F(EquilibriumCommand, SaysWhyThereIsNone) {
  const Outcome outcome = call(models + "skate.yaml");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.error, "nothing balances the force (4.905, 0) N on skate")) << outcome.error;
  const Outcome json = call(models + "skate.yaml --json");
  EXPECT_EQ(json.code, 1);
  EXPECT_TRUE(contains(json.out, "\"status\": \"failed\"")) << json.out;
}

TEST_F(EquilibriumCommand, RefusesBadInput) {
  EXPECT_EQ(call(models + "pendulum.yaml --tolerance 0").code, 2);
  EXPECT_EQ(call("no-such-file.yaml").code, 2);
  EXPECT_EQ(call(models + "pendulum.yaml --output rest.txt").code, 2);
}

}  // namespace equilibrium_command_test

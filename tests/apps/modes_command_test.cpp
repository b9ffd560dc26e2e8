// `bricard modes` as users call it.
#include "support/command_fixture.h"

namespace modes_command_test {

using namespace bricard::testing_support;

class ModesCommand : public CommandFixture {
 protected:
  Outcome call(const std::string& arguments) const { return run("modes " + arguments); }
};

TEST_F(ModesCommand, PrintsATableAVerdictAndMatrices) {
  const Outcome bicycle = call(models + "whipple-bicycle.yaml");
  EXPECT_EQ(bicycle.code, 0) << bicycle.error;
  for (const char* part : {"moving steadily", "7 displacements, 3 speeds", "-14.0783897", "4.46486771", "6 of them"})
    EXPECT_TRUE(contains(bicycle.out, part)) << part << " in\n" << bicycle.out;
  const Outcome pendulum = call(models + "double-pendulum.yaml --at equilibrium --independent A,B");
  EXPECT_EQ(pendulum.code, 0) << pendulum.error;
  for (const char* part : {"static equilibrium, at rest", "z = (A.angle, B.angle)", "2.66666667", "19.62"})
    EXPECT_TRUE(contains(pendulum.out, part)) << part << " in\n" << pendulum.out;
}

TEST_F(ModesCommand, WritesJson) {
  const std::string file = folder_ / "deep/er/modes.json";
  const Outcome outcome =
      call(models + "pendulum.yaml --at equilibrium --independent pendulum.angle --json --output " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.out, read(file));
  EXPECT_EQ(std::system(("/usr/bin/python3 -c 'import json,sys; d = json.load(open(sys.argv[1])); m = d[\"modes\"][0]; "
                         "assert abs(d[\"M\"][0][0] - 2.6) < 1e-12 and abs(d[\"K\"][0][0] - 49) < 1e-9; "
                         "assert d[\"stability\"] == \"marginal\" and d[\"independent\"] == [\"pendulum.angle\"]; "
                         "assert abs(m[\"eigenvalue\"][1] - (49/2.6)**0.5) < 1e-9; "
                         "assert len(m[\"shape\"][\"pendulum\"][\"rotation\"]) == 1' " +
                         file)
                            .c_str()),
            0);
}

TEST_F(ModesCommand, BadInputIsExitCodeTwoAndFailuresAreOne) {
  const Outcome name = call(models + "double-pendulum.yaml --independent A,lowr.angle");
  EXPECT_EQ(name.code, 2);
  EXPECT_TRUE(contains(name.error, "'lower.angle'")) << name.error;
  EXPECT_EQ(call(models + "pendulum.yaml --at rest").code, 2);
  EXPECT_EQ(call(models + "pendulum.yaml --output modes.csv").code, 2);
  const Outcome folded = call(models + "slider-crank.yaml --set phi0='90 deg' --set rate0=0");
  EXPECT_TRUE(folded.code == 1 && contains(folded.error, "singular")) << folded.code << folded.out << folded.error;
}

}  // namespace modes_command_test

// The command as users call it: exit codes, texts, JSON, files.
#include "support/command_fixture.h"

#include <algorithm>

namespace command_test {

using namespace bricard::testing_support;

class Command : public CommandFixture {
 protected:
  Outcome call(const std::string& arguments) const { return run("" + arguments); }
};

TEST_F(Command, RunPrintsASummaryAndWritesColumns) {
  const std::string csv = folder_ / "deep/er/run.csv";
  const Outcome outcome = call("run " + models + "five-bar.yaml --duration 1 --output " + csv);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* part : {"1 degree of freedom", "rank 11", "lagrange-proximal", "implied by the others", "steps",
                           "drift", "energy", "CPU", "101 rows"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in\n" << outcome.out;
  }
  EXPECT_EQ(outcome.error, "");
  const std::string rest = read(csv), header = rest.substr(0, rest.find('\n'));
  EXPECT_TRUE(header.starts_with("time,"));
  EXPECT_TRUE(header.ends_with(
      "energy.kinetic,energy.potential,energy.total,constraint.position,constraint.velocity,constraint.acceleration"));
  EXPECT_EQ(std::count(rest.begin(), rest.end(), '\n'), 102);
}

TEST_F(Command, RunJsonHasTheContractedMembers) {
  const Outcome outcome = call("run " + models + "pendulum.yaml --json");
  EXPECT_EQ(outcome.code, 0);
  for (const char* member :
       {"status", "model", "coordinates", "formulation", "stabilization", "integrator", "duration", "steps",
        "evaluations", "cpu_seconds", "constraint_position_max", "constraint_velocity_max", "energy_drift", "final",
        "messages", "dynamics", "engine", "rescue", "rescues"}) {
    EXPECT_TRUE(contains(outcome.out, "\"" + std::string(member) + "\":")) << member;
  }
  // What is printed is JSON: read it with another program.
  const std::string file = folder_ / "out";
  EXPECT_EQ(std::system(("/usr/bin/python3 -c 'import json,sys; json.load(open(sys.argv[1]))' " + file).c_str()), 0);
}

TEST_F(Command, RunNamesItsEngineAndRefusesOneThatDoesNotFit) {
  const std::string crank = "run " + models + "slider-crank.yaml --duration 0.2 ";
  EXPECT_TRUE(contains(call(crank).out, "\n  dynamics     bodies over the joint graph, ")) << call(crank).out;
  EXPECT_TRUE(contains(call(crank + "--dynamics whole").out, "\n  dynamics     matrices of the whole system, "));
  const Outcome misfit = call(crank + "--dynamics bodies --formulation penalty");
  EXPECT_EQ(misfit.code, 2);
  EXPECT_TRUE(contains(misfit.error, "not of formulation 'penalty'")) << misfit.error;
  const Outcome unknown = call(crank + "--dynamics hole");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.error, "did you mean 'whole'?")) << unknown.error;
  EXPECT_EQ(call(crank + "--rescue perhaps").code, 2);
}

// Eleven singular positions: with help, which is named, or as the method is by itself.
TEST_F(Command, RunSaysHowItWasRescued) {
  const std::string crank =
      "run " + models + "slider-crank.yaml --integrator dopri5 --formulation lagrange-pseudoinverse ";
  const Outcome on = call(crank);
  EXPECT_EQ(on.code, 0) << on.error;
  EXPECT_TRUE(contains(on.out, "\n  rescue       at t = ")) << on.out;
  const Outcome off = call(crank + "--rescue off");
  EXPECT_EQ(off.code, 1);
  EXPECT_FALSE(contains(off.out, "\n  rescue ")) << off.out;
  EXPECT_TRUE(contains(call(crank + "--rescue off --json").out, "\"rescues\": []"));
}

// A step too long for the springs.
TEST_F(Command, ARunThatDivergesFailsWithItsRows) {
  const std::string csv = folder_ / "rows.csv";
  const Outcome outcome =
      call("run " + models + "car-axis.yaml --integrator rk4 --step 0.065 --output-step 0.01 " + "--output " + csv);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.error, "diverges")) << outcome.error;
  EXPECT_FALSE(contains(outcome.out + outcome.error, "do not trust"));
  const std::string rows = read(csv);
  EXPECT_GT(std::count(rows.begin(), rows.end(), '\n'), 5);
}

TEST_F(Command, CheckJsonHasTheContractedMembers) {
  const Outcome outcome = call("check " + models + "bricard.yaml --json");
  EXPECT_EQ(outcome.code, 0);
  for (const char* member :
       {"\"coordinates\": 30", "\"constraints\": 30", "\"rank\": 29", "\"degrees_of_freedom\": 1",
        "\"redundant\":", "\"reactions\":", "\"consistent\": true", "\"messages\":", "not-unique"}) {
    EXPECT_TRUE(contains(outcome.out, member)) << member << " in\n" << outcome.out;
  }
  const std::string file = folder_ / "out";
  EXPECT_EQ(std::system(("/usr/bin/python3 -c 'import json,sys; json.load(open(sys.argv[1]))' " + file).c_str()), 0);
}

TEST_F(Command, ColumnsCanBeChosenAndMisspelt) {
  const std::string csv = folder_ / "run.csv", json = folder_ / "run.json";
  EXPECT_EQ(call("run " + models + "pendulum.yaml --duration 1 --output " + csv + " --columns 'energy.*'").code, 0);
  EXPECT_TRUE(read(csv).starts_with("time,energy.kinetic,energy.potential,energy.total\n"));
  EXPECT_EQ(call("run " + models + "pendulum.yaml --duration 1 --output " + json + " --columns energy.total").code, 0);
  EXPECT_EQ(std::system(("/usr/bin/python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert "
                         "d[\"columns\"]==[\"time\",\"energy.total\"]; "
                         "assert len(d[\"rows\"])>10' " +
                         json)
                            .c_str()),
            0);
  const Outcome wrong = call("run " + models + "pendulum.yaml --output " + csv + " --columns energy.totl");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(contains(wrong.error, "'energy.total'")) << wrong.error;
}

TEST_F(Command, BadInputIsExitCodeTwoWithTheReason) {
  EXPECT_EQ(call("run no-such-file.yaml").code, 2);
  EXPECT_EQ(call("run").code, 2);
  EXPECT_EQ(call("run " + models + "pendulum.yaml --nonsense").code, 2);
  EXPECT_EQ(call("").code, 2);
  const Outcome refused = call("run " + models + "five-bar.yaml --formulation lagrange");
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.error, "implied by the others") && contains(refused.error, "lagrange-pseudoinverse"))
      << refused.error;
  const Outcome set = call("run " + models + "five-bar.yaml --set tetha0=1");
  EXPECT_EQ(set.code, 2);
  EXPECT_TRUE(contains(set.error, "'theta0'")) << set.error;
  const Outcome format = call("run " + models + "five-bar.yaml --output result.xls");
  EXPECT_EQ(format.code, 2);
  EXPECT_TRUE(contains(format.error, ".csv")) << format.error;
}

TEST_F(Command, ErrorsOfAFileNameItsLines) {
  const std::string file = folder_ / "bad.yaml";
  std::ofstream(file) << "bricard: 1\ndimension: planar\nbodies:\n  a: {mass: 1, inertia: 1, centre: [0, "
                         "0]}\njoints:\n  J: {type: revolut, bodies: [ground, a], at: [0, 0]}\n";
  const Outcome outcome = call("check " + file);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.error, file + ":4:")) << outcome.error;
  EXPECT_TRUE(contains(outcome.error, "'center'")) << outcome.error;
  EXPECT_TRUE(contains(outcome.error, file + ":6:")) << outcome.error;
  EXPECT_TRUE(contains(outcome.error, "'revolute'")) << outcome.error;
}

TEST_F(Command, AFailedAnalysisIsExitCodeOneAndKeepsItsRows) {
  const std::string file = folder_ / "stops.yaml", csv = folder_ / "stops.csv";
  std::ofstream(file) << "bricard: 1\ndimension: planar\nbodies: {a: {mass: 1, inertia: 1, center: [1, 0]}}\n"
                         "forces: {f: {type: force, body: a, vector: [\"sqrt(1 - t)\", 0]}}\nsimulation: {duration: 2, "
                         "output_step: 0.1}\n";
  const Outcome outcome = call("run " + file + " --output " + csv);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.error, "stopped at t = ") && contains(outcome.error, csv)) << outcome.error;
  const std::string rows = read(csv);
  EXPECT_GE(std::count(rows.begin(), rows.end(), '\n'), 10);
  EXPECT_FALSE(contains(rows, "nan"));
}

TEST_F(Command, OpenMechanismsAreNamed) {
  const std::string file = folder_ / "open.yaml";
  std::ofstream(file) << "bricard: 1\ndimension: planar\nbodies: {rod: {rod: [[0, 0], [1, 0]], mass: 1}}\njoints:\n  "
                         "A: {type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                         "  far: {type: distance, bodies: [ground, rod], at: [[3, 0], [1, 0]], length: 0.5}\n";
  const Outcome check = call("check " + file);
  EXPECT_EQ(check.code, 1);
  EXPECT_TRUE(contains(check.out, "far stays open by")) << check.out;
  EXPECT_EQ(call("run " + file).code, 2);
}

TEST_F(Command, HelpHasExamples) {
  for (const char* command : {"", "run ", "check ", "methods ", "generate "}) {
    const Outcome outcome = call(std::string(command) + "--help");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.out, "Example")) << command;
  }
  EXPECT_TRUE(contains(call("--version").out, "bricard "));
}

TEST_F(Command, MethodsListsEverything) {
  const Outcome outcome = call("methods");
  for (const char* part : {"reference-point", "euler-zxz", "euler-parameters", "lagrange-block", "svd", "baumgarte",
                           "projection", "verner6", "bdf", "knife_edge", "bushing"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part;
  }
  EXPECT_EQ(call("methods --json").code, 0);
}

TEST_F(Command, GeneratedModelsRun) {
  const std::string file = folder_ / "generated.yaml";
  EXPECT_EQ(call("generate n-four-bar --loops 3 --output " + file).code, 0);
  EXPECT_EQ(call("run " + file + " --duration 0.1").code, 0);
  EXPECT_EQ(call("generate spatial-chain --links 5 --output " + file).code, 0);
  EXPECT_EQ(call("run " + file + " --duration 0.1").code, 0);
  EXPECT_EQ(call("generate closed-chain --links 8 --output " + file).code, 0);
  EXPECT_EQ(call("run " + file + " --duration 0.1").code, 0);
  EXPECT_EQ(call("generate n-four-bar --loops 0").code, 2);
}

}  // namespace command_test

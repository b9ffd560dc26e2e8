// `check`, `compare`, `reproduce` and reports as users call them.
#include "support/command_fixture.h"

#include <algorithm>

namespace study_commands_test {

using namespace bricard::testing_support;

class StudyCommands : public CommandFixture {};

TEST_F(StudyCommands, CheckSpeaksOfGroupsDirectionsAndChanges) {
  const Outcome outcome = run("check " + models + "mcpherson-overconstrained.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* part :
       {"over-constrained by 5, in 2 groups of redundant constraints:",
        "over-constrained by 1: the x forces of hinge_a and hinge_b",
        "over-constrained by 4: the y and z forces and moments of hinge_a and hinge_b",
        "- over-constrained by 2: the y and z moments of hinge_a and hinge_b alone",
        "reactions that are unique: ball, damper", "together, hinge_a and hinge_b exert on arm what is unique",
        "hinge_a: revolute -> spherical; hinge_b: revolute -> point_on_line", "idle degree of freedom: strut may spin"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << " in\n" << outcome.out;
}

TEST_F(StudyCommands, CheckOfAConflictFailsWithTheGap) {
  const std::string file = folder_ / "conflict.yaml";
  std::ofstream(file) << "bricard: 1\ndimension: planar\nbodies: {bar: {mass: 1, inertia: 1, center: [0.5, 0]}}\n"
                         "joints:\n  A: {type: revolute, bodies: [ground, bar], at: [0, 0]}\n"
                         "  B: {type: distance, bodies: [ground, bar], at: [[3, 0], [1, 0]], length: 1}\n";
  const Outcome outcome = run("check " + file);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.out, "conflict: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " m)")) << outcome.out;
}

TEST_F(StudyCommands, CheckShowsTheCircuitsOfAGearTrain) {
  const Outcome outcome = run("check " + models + "rotary-drive.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(contains(outcome.out, "transfer vertex")) << outcome.out;
}

TEST_F(StudyCommands, CompareWritesTablesAndAReport) {
  const std::string csv = folder_ / "table.csv", html = folder_ / "table.html";
  const Outcome outcome =
      run("compare " + models + "five-bar.yaml --formulations lagrange,nullspace-qr,udwadia-kalaba " +
          "--duration 0.2 --repeats 1 --output " + csv + " --report " + html);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(contains(outcome.out, "refused: formulation 'lagrange' cannot be used here")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " is best: ")) << outcome.out;
  const std::string table = read(csv);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 10);  // 3 formulations x 3 stabilisations, and the header
  EXPECT_TRUE(contains(read(html), "Work against precision"));
  EXPECT_EQ(run("compare " + models + "five-bar.yaml --formulations nullspace-qt").code, 2);
}

TEST_F(StudyCommands, CompareRunsFormulationsByTheirOwnAlgebra) {
  const std::string compare =
      "compare " + models + "four-bar.yaml --duration 0.1 --repeats 0 --stabilizations projection ";
  const Outcome outcome = run(compare + "--formulations lagrange,lagrange-block --json");
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(contains(outcome.out, "matrices of the whole system")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "joint graph"));
  const Outcome both = run(compare + "--formulations lagrange --dynamics whole,bodies");
  EXPECT_TRUE(contains(both.out, "lagrange (whole)")) << both.out;
  EXPECT_TRUE(contains(both.out, "lagrange (bodies)"));
  EXPECT_EQ(run(compare + "--dynamics bodis").code, 2);
}

TEST_F(StudyCommands, ReproduceListsPapersAndRefusesUnknownOnes) {
  const Outcome list = run("reproduce");
  EXPECT_EQ(list.code, 0);
  for (const char* part : {"pennestri-valentini", "defalco", "blajer", "jalon-bayo", "pekal-fraczek", "table-5.1"})
    EXPECT_TRUE(contains(list.out, part)) << part << " in\n" << list.out;
  const Outcome unknown = run("reproduce jalon-bajo");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.error, "jalon-bayo")) << unknown.error;
  EXPECT_EQ(run("reproduce jalon-bayo table-9").code, 2);
}

TEST_F(StudyCommands, ReproducePrintsVerdictsAndWritesJson) {
  const std::string json = folder_ / "papers.json";
  const Outcome outcome = run("reproduce blajer pendulum --fast --output " + json);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(contains(outcome.out, "confirmed: ")) << outcome.out;
  EXPECT_TRUE(contains(read(json), "\"item\": \"pendulum\""));
}

TEST_F(StudyCommands, ReportsOfCheckAndModesAreOnePage) {
  const std::string check = folder_ / "check.html", modes = folder_ / "modes.html";
  EXPECT_EQ(run("check " + models + "bricard.yaml --report " + check).code, 0);
  EXPECT_EQ(run("modes " + models + "double-pendulum.yaml --at equilibrium --report " + modes).code, 0);
  for (const std::string& file : {check, modes}) {
    const std::string page = read(file);
    EXPECT_TRUE(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>")) << page.substr(0, 40);
    EXPECT_LT(page.size(), 2000000U);
  }
  EXPECT_TRUE(contains(read(check), "over-constrained by 1: "));
}

}  // namespace study_commands_test

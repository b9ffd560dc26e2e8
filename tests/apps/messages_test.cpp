// Options that are refused with their name, and texts of others that a terminal must not obey.
#include "support/command_fixture.h"

namespace bricard {
namespace messages_test {

using testing_support::contains;
using testing_support::models;
using testing_support::Outcome;

class Messages : public testing_support::CommandFixture {};

TEST_F(Messages, NumbersOfOptionsAreChecked) {
  struct Case {
    std::string command, option;
    std::vector<std::string> bad;
  };
  const std::vector<std::string> positive = {"nan", "inf", "-1", "0", "1x", "1e999"},
                                 not_negative = {"nan", "inf", "-1", "x"}, whole = {"nan", "inf", "-1", "1.5"};
  std::vector<Case> cases;
  for (const char* const option : {"--duration", "--output-step", "--tolerance", "--step", "--reaction-length",
                                   "--threshold", "--penalty", "--time-limit", "--memory-limit"})
    cases.push_back({"run", option, positive});
  for (const char* const option :
       {"--alpha", "--beta", "--omega", "--mu", "--iteration-tolerance", "--spectral-radius", "--reuse"})
    cases.push_back({"run", option, not_negative});
  for (const char* const option : {"--iterations", "--seed", "--max-steps", "--max-events"})
    cases.push_back({"run", option, whole});
  cases.push_back({"run", "--iterations", {"99999999999999"}});
  cases.push_back({"run", "--seed", {"99999999999999"}});
  for (const char* const option : {"--duration", "--tolerance", "--step"})
    cases.push_back({"batch --sweep L=1:2:2", option, positive});
  for (const char* const option : {"--tolerances", "--duration", "--output-step", "--step"})
    cases.push_back({"compare", option, positive});
  for (const char* const option : {"--alpha", "--beta"}) cases.push_back({"compare", option, not_negative});
  for (const char* const option : {"--duration", "--output-step"}) {
    cases.push_back({"kinematics", option, positive});
    cases.push_back({"inverse", option, positive});
  }
  cases.push_back({"inverse", "--residual", not_negative});
  cases.push_back({"equilibrium", "--tolerance", {"nan", "inf", "-1", "0", "2"}});
  cases.push_back({"equilibrium", "--seed", whole});
  cases.push_back({"check", "--reaction-length", positive});
  for (const Case& one : cases) {
    for (const std::string& value : one.bad) {
      const Outcome outcome = run(one.command + " " + models + "pendulum.yaml " + one.option + "=" + value);
      EXPECT_EQ(outcome.code, 2) << one.command << " " << one.option << " " << value;
      EXPECT_TRUE(contains(outcome.error, one.option)) << one.option << " " << value << ": " << outcome.error;
      EXPECT_EQ(outcome.out, "") << one.option << " " << value;
    }
  }
}

TEST_F(Messages, CountsInModelFilesAreCheckedToo) {
  const std::string file = folder_ / "m.yaml";
  std::ofstream(file) << "bricard: 1\ndimension: planar\npoints: {A: [0, 0], B: [1, 0]}\n"
                         "bodies: {b: {rod: [A, B], mass: 1}}\n"
                         "joints: {A: {type: revolute, bodies: [ground, b], at: A}}\n"
                         "simulation: {duration: 0.1, formulation: augmented-lagrangian, iterations: 99999999999999}\n";
  const Outcome outcome = run("run " + file);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.error, "simulation.iterations: must be a whole number")) << outcome.error;
}

// Neither keys, values, names nor arguments reach the terminal with characters that it obeys.
TEST_F(Messages, ControlCharactersAreShownNotObeyed) {
  const std::string file = folder_ / "m.yaml";
  const auto printed = [&](const std::string& arguments) {
    const Outcome outcome = run(arguments);
    return outcome.out + outcome.error;
  };
  const auto clean = [](const std::string& text) {
    for (const char c : text) {
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) return false;
    }
    return !contains(text, "\xc2\x9b") && !contains(text, "\xe2\x80\xae");
  };
  std::ofstream(file) << "bricard: 1\n\"\\e[2J\\nfake.yaml:1:1: ok\": 1\n\"\\x9b2J\": 2\n\"\\u202e\": 3\n";
  const std::string keys = printed("check " + file);
  EXPECT_TRUE(clean(keys)) << keys;
  EXPECT_TRUE(contains(keys, "\\x1b[2J\\nfake.yaml:1:1: ok")) << keys;
  EXPECT_FALSE(contains(keys, "\nfake.yaml"));

  const std::string rest =
      "dimension: planar\npoints: {A: [0, 0], B: [1, 0]}\nbodies: {b: {rod: [A, B], mass: 1}}\n"
      "joints: {A: {type: revolute, bodies: [ground, b], at: A}}\nsimulation: {duration: 0.1}\n";
  std::ofstream(file) << "bricard: 1\nname: \"\\e]0;title\\a \\x7f\"\n" << rest;
  for (const std::string command : {"run ", "check ", "modes ", "equilibrium ", "kinematics ", "run --json ",
                                    "batch --sweep x=1 ", "compare --repeats 0 --formulations lagrange "}) {
    const std::string text = printed(command + file);
    EXPECT_FALSE(text.empty()) << command;
    EXPECT_TRUE(clean(text)) << command << text;
  }
  const std::string escape = "\"$(printf '\\033[2J')\"";
  EXPECT_TRUE(clean(printed("run " + file + " --formulation " + escape)));
  EXPECT_TRUE(clean(printed("run " + file + " --nosuch" + escape)));
  EXPECT_TRUE(clean(printed("run " + file + " --set a" + escape + "=1")));
}

}  // namespace messages_test
}  // namespace bricard

// `kinematics` and `inverse` as users call them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "support/command.h"

namespace bricard::drive_commands_test {

const std::string models = BRICARD_SOURCE_DIR "/models/";

struct Outcome {
  int code;
  std::string text;  // of both streams
};

Outcome call(const std::string& arguments) {
  std::FILE* pipe = ::popen((testing_support::command + " " + arguments + " 2>&1").c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, size);
  return {WEXITSTATUS(::pclose(pipe)), text};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(DriveCommands, KinematicsShowsTheMotorsTorque) {
  const Outcome outcome = call("kinematics " + models + "driven-four-bar.yaml");
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  for (const char* part : {"1 drive", "rank 9", "201 outputs", "drive.effort", "drive.power", "largest 164.396 N in A"})
    EXPECT_TRUE(contains(outcome.text, part)) << part << " in\n" << outcome.text;
  const Outcome json = call("kinematics --json " + models + "driven-four-bar.yaml");
  EXPECT_EQ(json.code, 0);
  EXPECT_TRUE(contains(json.text, "\"status\": \"ok\"")) << json.text;
}

TEST(DriveCommands, FailuresAndBadInputHaveTheirExitCodes) {
  const Outcome undriven = call("kinematics " + models + "double-pendulum.yaml");
  EXPECT_EQ(undriven.code, 1);
  EXPECT_TRUE(contains(undriven.text, "add motions for joints A and B")) << undriven.text;
  EXPECT_EQ(call("kinematics " + models + "driven-four-bar.yaml --set l1=1.6").code, 1);
  EXPECT_EQ(call("inverse " + models + "planar-2r-robot.yaml --motion missing.csv").code, 2);
  EXPECT_EQ(call("inverse " + models + "planar-2r-robot.yaml --actuate Z").code, 2);
  EXPECT_EQ(call("inverse " + models + "planar-2r-robot.yaml --weights A").code, 2);
}

TEST(DriveCommands, InverseReadsWhatKinematicsWrites) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("bricard-arm-" + std::to_string(::getpid()) + ".csv");
  const std::string robot = models + "planar-2r-robot.yaml";
  EXPECT_EQ(call("kinematics " + robot + " --output " + file.string()).code, 0);
  const Outcome outcome = call("inverse " + robot + " --motion " + file.string());
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_TRUE(contains(outcome.text, "A.angle and B.angle: 2 for 2 degrees of freedom")) << outcome.text;
  const Outcome lacking = call("inverse " + robot + " --actuate A --motion " + file.string());
  EXPECT_EQ(lacking.code, 1);
  EXPECT_TRUE(contains(lacking.text, "N m on B.angle")) << lacking.text;
  std::filesystem::remove(file);
}

}  // namespace bricard::drive_commands_test

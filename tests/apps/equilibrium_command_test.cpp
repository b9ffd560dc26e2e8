// `bricard equilibrium` as users call it.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

struct Outcome {
  int code;
  std::string out, error;
};

const std::string models = BRICARD_SOURCE_DIR "/models/";

class EquilibriumCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("bricard-equilibrium-" + std::to_string(::getpid()) + "-" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  Outcome call(const std::string& arguments) const {
    const std::string out = folder_ / "out", error = folder_ / "error";
    const int status =
        std::system((std::string(BRICARD_COMMAND) + " equilibrium " + arguments + " >" + out + " 2>" + error).c_str());
    return {WEXITSTATUS(status), read(out), read(error)};
  }
  std::filesystem::path folder_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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

}  // namespace

// The program as users call it, with a folder of its own for each test.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/command.h"

namespace bricard::testing_support {

struct Outcome {
  int code;
  std::string out, error;
};

inline const std::string models = BRICARD_SOURCE_DIR "/models/";

class CommandFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / ("bricard-" + std::to_string(::getpid()) + "-" + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string read(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  Outcome run(const std::string& arguments) const {
    const std::string out = folder_ / "out", error = folder_ / "error";
    const int status = std::system((command + " " + arguments + " >" + out + " 2>" + error).c_str());
    return {WEXITSTATUS(status), read(out), read(error)};
  }
  std::filesystem::path folder_;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace bricard::testing_support

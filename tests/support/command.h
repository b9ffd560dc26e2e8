// The command `bricard` for tests that run it: the beginning of a shell's line. If programs are for another processor
// than this machine's, what runs them comes first.
#pragma once

#include <unistd.h>

#include <string>

namespace bricard::testing_support {

inline const std::string command = BRICARD_COMMAND;

/// A process of its own, which is not waited for.
inline pid_t start_command(const std::string& arguments) {
  const std::string line = "exec " + command + " " + arguments;
  const pid_t child = fork();
  if (child != 0) return child;
  execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
  _exit(127);
}

}  // namespace bricard::testing_support

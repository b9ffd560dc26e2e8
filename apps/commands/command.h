// The subcommands of `bricard`: each adds itself to the command line and returns the program's exit code when called.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/method.h"

namespace bricard {

enum ExitCode { success = 0, failed_analysis = 1, bad_input = 2 };

/// Sets `action` to what is to be done when the subcommand was given.
using Action = std::function<int()>;
void add_run(CLI::App& app, Action& action);
void add_batch(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_equilibrium(CLI::App& app, Action& action);
void add_modes(CLI::App& app, Action& action);
void add_kinematics(CLI::App& app, Action& action);
void add_inverse(CLI::App& app, Action& action);
void add_methods(CLI::App& app, Action& action);
void add_reproduce(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);

/// Options that several commands share.
struct ModelOptions {
  std::string file;
  std::vector<std::string> settings;  // name=value
  bool json = false;

  void add_to(CLI::App& command);
  /// Splits `--set` options; throws InputError for one without '='.
  std::map<std::string, std::string> parameters() const;
};

/// --time-limit and --memory-limit of an analysis that may be refused for what it would take.
void add_limits(CLI::App& command, double& time_limit, double& memory_limit);

/// A text wrapped to the terminal's usual width, each line after the first indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 100);

}  // namespace bricard

// The subcommands of `bricard`: each adds itself to the command line and returns the program's exit code when called.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bricard/method.h"
#include "bricard/model.h"
#include "io/results/output_file.h"

namespace bricard {

/// Interrupted ones: see Interruption.
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

/// What a model is called in summaries.
std::string title(const Model& model);

/// A file that the user named, opened before the work that it is for; null without a name.
std::unique_ptr<OutputFile> open_output(const std::string& file);

/// Numbers of options: what is not such a number is refused with the option's name.
CLI::Validator positive();
CLI::Validator not_negative();
CLI::Validator whole(double least, double most = 1e15);
inline constexpr double largest_seed = 4294967295;

/// A text wrapped to the terminal's usual width, each line after the first indented; printable.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 100);

}  // namespace bricard

// The subcommands of `bricard`: each adds itself to the command line and returns the program's exit code when called.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "bricard/method.h"
#include "bricard/model.h"
#include "io/results/output_file.h"
#include "model/method_options.h"

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
void add_equations(CLI::App& app, Action& action);
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

/// Numbers of options: what is not such a number is refused with the option's name.
CLI::Validator within(const NumberRange& range);

/// Options of a Method, as its table has them: all of them, or those of `keys`.
void add_method_options(CLI::App& command, Method& method);
void add_method_options(CLI::App& command, Method& method, const std::vector<std::string>& keys);

/// One of them for a value that may be elsewhere, where the command means something special by it: `help`.
template <class Value>
void add_method_option(CLI::App& command, const std::string& key, Value& value, const std::string& help) {
  const MethodOption& option = method_option(key);
  CLI::Option* added = command.add_option(option.command_option(), value, help)->type_name(option.placeholder);
  if constexpr (std::is_arithmetic_v<Value>) added->check(within(option.range));
}

/// --time-limit and --memory-limit of an analysis that may be refused for what it would take.
void add_limits(CLI::App& command, double& time_limit, double& memory_limit);

/// What a model is called in summaries.
std::string title(const Model& model);

/// A file that the user named, opened before the work that it is for; null without a name.
std::unique_ptr<OutputFile> open_output(const std::string& file);

/// A text wrapped to the terminal's usual width, each line after the first indented; printable.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 100);

}  // namespace bricard

#include "commands/command.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "bricard/input_error.h"
#include "model/printable.h"

namespace bricard {

void ModelOptions::add_to(CLI::App& command) {
  command.add_option("MODEL", file, "Model file (YAML); see docs/model-format.md")->required();
  command.add_option("--set", settings, "Override a parameter of the model: --set L=2 --set theta0='30 deg'")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--json", json, "Print one JSON object instead of text");
}

std::map<std::string, std::string> ModelOptions::parameters() const {
  std::map<std::string, std::string> result;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--set {}: expected name=value", setting));
    result[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return result;
}

std::string title(const Model& model) { return printable(model.name.empty() ? model.file : model.name); }

std::unique_ptr<OutputFile> open_output(const std::string& file) {
  return file.empty() ? nullptr : std::make_unique<OutputFile>(file);
}

namespace {

/// NaN for what is not a number.
double number_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' ? NAN : number;
}

void add_value(CLI::App& command, const MethodOption& option, std::optional<bool>& flag) {
  // `--diagnostics=false` where the model says true
  command.add_flag_function(
      option.command_option(), [&flag](std::int64_t count) { flag = count > 0; }, option.command_help());
}

template <class Value>
void add_value(CLI::App& command, const MethodOption& option, Value& value) {
  add_method_option(command, option.key, value, option.command_help());
}

void add_of(CLI::App& command, const MethodOption& option, Method& method) {
  std::visit([&](auto member) { add_value(command, option, method.*member); }, option.member);
}

}  // namespace

CLI::Validator within(const NumberRange& range) {
  const auto check = [range](std::string& text) {
    return range.contains(number_of(text)) ? std::string() : fmt::format("must be {}, not {}", range.words(), text);
  };
  return {check, ""};
}

void add_method_options(CLI::App& command, Method& method) {
  for (const MethodOption& option : method_options()) add_of(command, option, method);
}

void add_method_options(CLI::App& command, Method& method, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) add_of(command, method_option(key), method);
}

void add_limits(CLI::App& command, double& time_limit, double& memory_limit) {
  add_method_option(command, "time_limit", time_limit, "Begin or go on as long as S seconds are enough");
  add_method_option(command, "memory_limit", memory_limit, "The same for MB megabytes");
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(printable_lines(text));
  std::string result, word;
  std::size_t column = indent;
  while (words >> word) {
    if (column > indent && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += " ";
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

}  // namespace bricard

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

void add_limits(CLI::App& command, double& time_limit, double& memory_limit) {
  command.add_option("--time-limit", time_limit, "Begin or go on as long as S seconds are enough")
      ->check(positive())
      ->type_name("S");
  command.add_option("--memory-limit", memory_limit, "The same for MB megabytes")->check(positive())->type_name("MB");
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

CLI::Validator number_check(const std::string& what, const std::function<bool(double)>& fits) {
  const auto check = [what, fits](std::string& text) {
    const double number = number_of(text);
    return std::isfinite(number) && fits(number) ? std::string() : fmt::format("must be {}, not {}", what, text);
  };
  return {check, ""};
}

}  // namespace

CLI::Validator positive() {
  return number_check("a positive number", [](double number) { return number > 0; });
}

CLI::Validator not_negative() {
  return number_check("a number that is not negative", [](double number) { return number >= 0; });
}

CLI::Validator whole(double least, double most) {
  return number_check(fmt::format("a whole number from {} to {:.10g}", least, most),
                      [=](double number) { return number >= least && number <= most && number == std::floor(number); });
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

#include "commands/command.h"

#include <fmt/format.h>

#include <sstream>

#include "model/input_error.h"

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
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("S");
  command.add_option("--memory-limit", memory_limit, "The same for MB megabytes")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("MB");
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
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

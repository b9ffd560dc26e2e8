// Reads a model file. The only place that knows YAML.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "bricard/input_error.h"
#include "bricard/model.h"

namespace bricard {

struct LoadOptions {
  std::map<std::string, std::string> parameters;  // `--set name=value`: expressions that override parameters
};

/// Throws InputError with everything that is wrong with the file.
std::shared_ptr<const Model> load(const std::string& file, const LoadOptions& options = {});
/// The same for a text; `name` stands for the file in messages.
std::shared_ptr<const Model> load_text(const std::string& text, const std::string& name,
                                       const LoadOptions& options = {});

/// Values of the parameters of a file, as far as they have one, whatever else is wrong in it.
std::vector<std::pair<std::string, double>> load_parameter_values(const std::string& file, const LoadOptions& options);

}  // namespace bricard

// A model file that is read and parsed once, for models with many values of its parameters.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bricard/load.h"
#include "io/model/yaml_reader.h"

namespace bricard {

class ModelFile {
 public:
  /// Throws InputError for a text that is not YAML; other mistakes are told by load().
  ModelFile(std::string text, const std::string& name);
  static ModelFile read(const std::string& file);

  /// As load() of a file.
  std::shared_ptr<const Model> load(const LoadOptions& options) const;
  /// As load_parameter_values() of a file.
  std::vector<std::pair<std::string, double>> parameter_values(const LoadOptions& options) const;

 private:
  std::string text_;
  Problems problems_;  // of the text itself
  YamlNode tree_;
};

}  // namespace bricard

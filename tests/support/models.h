// Models by name: those that are shipped, and families of any size.
#pragma once

#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "bricard/load.h"
#include "io/model/generate.h"

namespace bricard::testing_support {

using Parameters = std::map<std::string, std::string>;

inline std::shared_ptr<const Model> shipped(const std::string& name, const Parameters& parameters = {}) {
  return load(BRICARD_SOURCE_DIR "/models/" + name + ".yaml", {.parameters = parameters});
}

/// Of a file beside a test.
inline std::string text_of_test(const std::string& file) {
  std::ifstream stream(BRICARD_SOURCE_DIR "/tests/" + file);
  if (!stream) throw std::runtime_error("no file tests/" + file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline bool is_family(const std::string& name) {
  for (const GeneratorType& type : generator_types()) {
    if (name == type.name) return true;
  }
  return false;
}

inline std::string generate(const std::string& family, int size) {
  for (const GeneratorType& type : generator_types()) {
    if (family == type.name) return type.generate(size);
  }
  throw std::out_of_range("no family " + family);
}

inline std::shared_ptr<const Model> generated(const std::string& family, int size, const Parameters& parameters = {}) {
  return load_text(generate(family, size), family, {.parameters = parameters});
}

/// Of a family with this size, or shipped.
inline std::shared_ptr<const Model> generated_or_shipped(const std::string& name, int size) {
  return is_family(name) ? generated(name, size) : shipped(name);
}

}  // namespace bricard::testing_support

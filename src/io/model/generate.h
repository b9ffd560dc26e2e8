// Writes model files of any size: families of mechanisms for benchmarks and studies.
#pragma once

#include <string>
#include <vector>

namespace bricard {

struct GeneratorType {
  const char* name;
  const char* description;
  const char* size_name;  // what the number counts
  int default_size;
  std::string (*generate)(int size);
};

const std::vector<GeneratorType>& generator_types();

}  // namespace bricard

// Parameter sweeps: the models of a file for a grid of values of its parameters.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bricard/model.h"

namespace bricard {

/// `count` values of a parameter, evenly spaced from `from` to `to`, both included; both are expressions.
struct Sweep {
  std::string name, from, to;
  int count = 1;
};

/// Reads NAME=FROM:TO:COUNT or NAME=VALUE. Throws InputError.
Sweep read_sweep(const std::string& text);

struct SweptModel {
  std::shared_ptr<const Model> model;  // null: the file cannot be read with these values
  std::vector<double> values;          // of the swept parameters; unset if not known
  std::string failure;                 // why there is no model
};

/// The whole grid, the last sweep running fastest. `parameters`: expressions of others, as for load(). Throws
/// InputError if no model can be read.
std::vector<SweptModel> load_sweep(const std::string& file, const std::map<std::string, std::string>& parameters,
                                   const std::vector<Sweep>& sweeps);

}  // namespace bricard

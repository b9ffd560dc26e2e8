// The models of the folder models/, which are part of the program, so that studies need no files.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "bricard/model.h"

namespace bricard {

/// A shipped model by its name ("five-bar"), with parameters changed as by `--set`.
std::shared_ptr<const Model> shipped_model(const std::string& name,
                                           const std::map<std::string, std::string>& parameters = {});

}  // namespace bricard

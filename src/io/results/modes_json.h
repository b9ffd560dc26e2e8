// The result of a modal analysis as one JSON object.
#pragma once

#include <string>

#include "analyses/linear/modes.h"
#include "bricard/model.h"

namespace bricard {

std::string modes_json(const Model& model, const Modes& modes);

}  // namespace bricard

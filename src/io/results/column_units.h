// Units of result columns, by their names.
#pragma once

#include <string>

#include "bricard/model.h"

namespace bricard {

/// "m", "rad/s", "N m"; empty for columns without one or of mixed ones (outputs, constraint errors).
std::string column_unit(const Model& model, const std::string& column);

}  // namespace bricard

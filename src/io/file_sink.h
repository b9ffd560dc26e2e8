// Writes the rows of a run to a file as they come, so that a run that stops early leaves what it had.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyses/simulate.h"

namespace bricard {

/// A sink for FILE.csv or FILE.json (an object of columns). `columns`: the names to keep, "b.*" for all of b; empty:
/// all. Throws InputError for an unknown ending, an unknown column, or a file that cannot be written.
std::unique_ptr<Sink> open_file_sink(const std::string& file, const std::vector<std::string>& columns);

}  // namespace bricard

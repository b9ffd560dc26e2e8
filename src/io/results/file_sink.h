// Writes the rows of a run to a file as they come, see OutputFile: the file is in its place once the run has ended,
// also by a failure; until then the rows are beside it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/simulate.h"

namespace bricard {

/// A sink for FILE.csv, FILE.json (an object of columns) or FILE.h5. `columns`: the names to keep, "b.*" for all of b;
/// empty: all. Throws InputError for an unknown ending, an unknown column, or a file that cannot be written. Without
/// rows there is no file.
std::unique_ptr<Sink> open_file_sink(const std::string& file, const std::vector<std::string>& columns);

}  // namespace bricard

// Writes the rows of a run to an HDF5 file: one data set a column, named as in CSV files, extended while the run goes
// on. The file is flushed every few hundred rows or seconds, so that a run that is killed leaves one that can be read.
//   /            attributes: bricard (version), model, model_text, and the method's names and numbers
//   /link1.x     attributes: unit, and `unique` (0 or 1) of reactions
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyses/simulate.h"

namespace bricard {

/// `columns`: the names to keep, "b.*" for all of b; empty: all. Throws InputError if the file cannot be written.
std::unique_ptr<Sink> open_hdf5_sink(const std::string& file, const std::vector<std::string>& columns);

}  // namespace bricard

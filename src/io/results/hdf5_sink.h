// Writes the rows of a run to an HDF5 file, extended while the run goes on and flushed every few hundred rows or
// seconds, so that a run that is killed leaves one that can be read (see OutputFile for where).
//   /            attributes: bricard (version), model, model_text, and the method's names and numbers
//   /rows        the table, rows by columns, compressed
//   /columns     names of its columns, as in CSV files; /units their units; /unique 1 or 0 of reactions, -1 of the rest
//   /link1.x     up to 1,000 columns: each by its name, a virtual data set that shows its numbers in /rows; attributes
//                unit, and `unique` (0 or 1) of reactions
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bricard/simulate.h"

namespace bricard {

/// `columns`: the names to keep, "b.*" for all of b; empty: all. Throws InputError if the file cannot be written.
std::unique_ptr<Sink> open_hdf5_sink(const std::string& file, const std::vector<std::string>& columns);

}  // namespace bricard

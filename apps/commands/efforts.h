// How `kinematics` and `inverse` show efforts and reactions.
#pragma once

#include "bricard/effort_summary.h"
#include "io/results/json_writer.h"

namespace bricard {

/// Lines of ranges of efforts and powers, and of the largest reaction.
void print_efforts(const EffortSummary& efforts);
/// Members `ranges` and `reactions` of the object that is open.
void write_efforts(const EffortSummary& efforts, JsonWriter& json);

/// A line of a summary: label, then text wrapped beside it.
void print_line(const char* label, const std::string& text);

}  // namespace bricard

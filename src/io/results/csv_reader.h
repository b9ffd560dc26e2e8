// Reads tables of numbers: a line of column names, then lines of numbers, separated by commas. Lines that are empty or
// begin with '#' are skipped.
#pragma once

#include <string>

#include "analyses/drives/prescribed_motion.h"

namespace bricard {

/// Throws InputError with file, line and column for what is not such a table.
MotionTable read_motion(const std::string& file);
/// The same for a text; `name` stands for the file in messages.
MotionTable read_motion_text(const std::string& text, const std::string& name);

}  // namespace bricard

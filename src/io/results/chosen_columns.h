// Which columns of a run a user asked for.
#pragma once

#include <string>
#include <vector>

namespace bricard {

/// Numbers of the wanted columns, ascending, time always among them; "b.*" stands for all of b; none wanted: all.
/// Throws InputError for a name that does not exist.
std::vector<int> chosen_columns(const std::vector<std::string>& wanted, const std::vector<std::string>& columns);

}  // namespace bricard

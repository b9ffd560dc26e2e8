#include "io/results/chosen_columns.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "bricard/input_error.h"
#include "model/nearest_name.h"

namespace bricard {

std::vector<int> chosen_columns(const std::vector<std::string>& wanted, const std::vector<std::string>& columns) {
  if (wanted.empty()) {
    std::vector<int> all(columns.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::set<int> chosen = {0};
  for (const std::string& name : wanted) {
    const bool all_of = name.size() > 2 && name.ends_with(".*");
    bool found = false;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (columns[k] != name && !(all_of && columns[k].starts_with(name.substr(0, name.size() - 1)))) continue;
      chosen.insert(static_cast<int>(k));
      found = true;
    }
    if (!found) throw InputError(fmt::format("no column '{}'{}", name, suggestion(name, columns)));
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace bricard

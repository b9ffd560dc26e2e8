#include <algorithm>
#include <stdexcept>

#include "bricard/simulate.h"
#include "model/nearest_name.h"

namespace bricard {

int MemorySink::index(const std::string& name) const {
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) throw std::out_of_range("no column '" + name + "'" + suggestion(name, columns));
  return static_cast<int>(found - columns.begin());
}

}  // namespace bricard

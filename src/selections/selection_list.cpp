#include <algorithm>

#include "model/registry.h"
#include "selections/selection.h"

namespace bricard {

namespace selections {
#define SELECTION(function) SelectionType function();
#include "selections/selections.def"
#undef SELECTION
}  // namespace selections

namespace {

const Registry<SelectionType>& registry() {
  static const Registry<SelectionType> types = {
#define SELECTION(function) selections::function(),
#include "selections/selections.def"
#undef SELECTION
  };
  return types;
}

}  // namespace

const std::deque<SelectionType>& selection_types() { return registry().all(); }
const SelectionType* find_selection_type(const std::string& name) { return registry().find(name); }

Selected boolean_selection(std::vector<int> coordinates, int columns) {
  std::sort(coordinates.begin(), coordinates.end());
  Selected selected{coordinates, Matrix::Zero(static_cast<int>(coordinates.size()), columns)};
  for (std::size_t k = 0; k < coordinates.size(); ++k) selected.B(static_cast<int>(k), coordinates[k]) = 1;
  return selected;
}

}  // namespace bricard

#include "coordinates/coordinates.h"
#include "model/registry.h"

namespace bricard {

namespace coordinate_sets {
#define COORDINATES(function) CoordinatesType function();
#include "coordinates/coordinates.def"
#undef COORDINATES
}  // namespace coordinate_sets

namespace {

const Registry<CoordinatesType>& registry() {
  static const Registry<CoordinatesType> types = {
#define COORDINATES(function) coordinate_sets::function(),
#include "coordinates/coordinates.def"
#undef COORDINATES
  };
  return types;
}

}  // namespace

const std::deque<CoordinatesType>& coordinates_types() { return registry().all(); }
const CoordinatesType* find_coordinates_type(const std::string& name) { return registry().find(name); }

}  // namespace bricard

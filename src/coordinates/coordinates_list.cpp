#include "coordinates/coordinates.h"

namespace bricard {

namespace coordinate_sets {
#define COORDINATES(function) CoordinatesType function();
#include "coordinates/coordinates.def"
#undef COORDINATES
}  // namespace coordinate_sets

const std::vector<CoordinatesType>& coordinates_types() {
  static const std::vector<CoordinatesType> types = {
#define COORDINATES(function) coordinate_sets::function(),
#include "coordinates/coordinates.def"
#undef COORDINATES
  };
  return types;
}

const CoordinatesType* find_coordinates_type(const std::string& name) {
  for (const CoordinatesType& type : coordinates_types()) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

}  // namespace bricard

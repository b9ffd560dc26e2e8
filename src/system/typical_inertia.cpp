#include "system/typical_inertia.h"

#include <algorithm>

namespace bricard {

Vector typical_inertia(const System& system) {
  double mass = 0;
  for (const Body& body : system.model().bodies) mass += body.mass;
  mass /= static_cast<double>(std::max<std::size_t>(system.model().bodies.size(), 1));
  if (mass <= 0) mass = 1;
  const double length = system.model().characteristic_length();
  Vector inertia(system.velocity_size());
  for (int k = 0; k < inertia.size(); ++k)
    inertia[k] = mass * (system.coordinates().is_rotation(k) ? length * length : 1);
  return inertia;
}

}  // namespace bricard

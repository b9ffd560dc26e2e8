#include "system/typical_inertia.h"

#include <cmath>

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

SparseRows dimensionless_rows(const SparseRows& P, const Vector& typical) {
  SparseRows scaled = P;
  for (int row = 0; row < scaled.outerSize(); ++row) {
    double squared = 0;
    for (SparseRows::InnerIterator entry(scaled, row); entry; ++entry) {
      entry.valueRef() /= std::sqrt(typical[entry.col()]);
      squared += entry.value() * entry.value();
    }
    if (squared > 0) scaled.row(row) /= std::sqrt(squared);
  }
  return scaled;
}

}  // namespace bricard

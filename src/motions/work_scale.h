// The scale of the work in error norms: so large that only gross errors count, and steps are those which the motion
// needs wherever its power is as smooth as itself.
#pragma once

#include <limits>

#include "bricard/model.h"

namespace bricard {

/// A hundred times the weight over the model's length; infinite, so not controlled, without weight.
inline double work_scale(const Model& model) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  const double energy = mass * model.gravity.norm() * model.characteristic_length();
  return energy > 0 ? 100 * energy : std::numeric_limits<double>::infinity();
}

}  // namespace bricard

// Three expressions as a vector in world axes or in the axes of a body: what forces and torques have in common.
#pragma once

#include <array>

#include "forces/force_element.h"

namespace bricard {

class AppliedVector {
 public:
  AppliedVector(const std::array<Expression, 3>& components, bool in_body_frame, int body, ForceBuilder& builder) {
    for (int k = 0; k < 3; ++k) {
      components_[k] = builder.bind(components[k]);
      if (!in_body_frame || body == ground) continue;
      // The body's own axes, given in the reference configuration.
      axes_[k] = builder.vector(body, builder.model().bodies[body].orientation * Vec3(Vec3::Unit(k)));
    }
  }

  Vec3 value(const ForceContext& context) const {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      const double component = components_[k].value(context.t, context.signals);
      sum += component * (axes_[k] >= 0 ? context.markers.value[axes_[k]] : Vec3(Vec3::Unit(k)));
    }
    return sum;
  }

  /// Derivatives of the vector as the load on a marker.
  void couple(const ForceContext& context, int loaded, LoadCouplings& couplings) const {
    for (int k = 0; k < 3; ++k) {
      const BoundExpression& component = components_[k];
      double time_partial = 0;
      const double value = component.gradient(context.t, context.signals, time_partial);
      const Vec3 axis = axes_[k] >= 0 ? context.markers.value[axes_[k]] : Vec3(Vec3::Unit(k));
      if (axes_[k] >= 0) couplings.add(loaded, axes_[k], value * Mat3::Identity());
      for (std::size_t l = 0; l < component.ids().size(); ++l)
        couple_load(context, loaded, axis, {component.ids()[l], component.partials()[l], 0}, couplings);
    }
  }

 private:
  std::array<BoundExpression, 3> components_;
  std::array<int, 3> axes_ = {-1, -1, -1};
};

}  // namespace bricard

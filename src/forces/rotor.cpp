// A fast rotor inside a body, by the moment that it exerts on the body [Jalon-Bayo problem 5/9].
//   T = -omega x (J Omega u) - J Omega' u      u: its axis, fixed to the body; J: inertia about it; Omega(t): relative
//   speed
// Mass and inertia of the body include those of the rotor at rest. The first term does no work. In the plane u is z,
// and only the reaction to a change of speed is left.
#include "coordinates/rotation_algebra.h"
#include "forces/force_element.h"

namespace bricard::force_kinds {
namespace {

class RotorInBody : public ForceElement {
 public:
  RotorInBody(const Rotor& rotor, ForceBuilder& builder)
      : inertia_(rotor.inertia),
        speed_(builder.bind(rotor.speed)),
        turning_(builder.rotation(rotor.body)),
        axis_(builder.model().planar() ? -1 : builder.vector(rotor.body, rotor.axis)),
        load_(builder.load(turning_)) {}

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    const Vec3 u = axis_ >= 0 ? context.markers.value[axis_] : Vec3(Vec3::UnitZ());
    const Jet speed = speed_.jet(context.t, context.signals);
    loads[load_].value = -inertia_ * (speed.value * context.markers.rate[turning_].cross(u) + speed.rate * u);
  }

  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    if (axis_ < 0) return true;
    const Jet speed = speed_.jet(context.t, context.signals);
    const Mat3 turning = speed.value * cross_matrix(context.markers.rate[turning_]);
    couplings.add(turning_, axis_, -inertia_ * (turning + speed.rate * Mat3::Identity()));
    couplings.add(turning_, turning_, Mat3::Zero(),
                  inertia_ * speed.value * cross_matrix(context.markers.value[axis_]));
    return true;
  }

 private:
  double inertia_;
  BoundExpression speed_;
  int turning_, axis_, load_;
};

}  // namespace

std::unique_ptr<ForceElement> create(const Rotor& rotor, ForceBuilder& builder) {
  return std::make_unique<RotorInBody>(rotor, builder);
}

}  // namespace bricard::force_kinds

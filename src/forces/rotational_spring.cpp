// Spring, damper or any law on a joint's angle; the torque acts on body j, its opposite on i.
#include "forces/force_law.h"

namespace bricard::force_kinds {
namespace {

class CoilSpring : public ForceElement {
 public:
  CoilSpring(const RotationalSpring& spring, ForceBuilder& builder)
      : law_(spring.stiffness, spring.damping, spring.law, builder),
        free_angle_(spring.free_angle),
        angle_(builder.coordinate(spring.joint, spring.coordinate)),
        load_(builder.effort(angle_)) {
    if (spring.law) builder.measure_law(angle_, free_angle_);
  }

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    const Jet& angle = context.signals[angle_];
    apply_effort(context.signals, angle_, law_.value(context, angle.value - free_angle_, angle.rate), &loads[load_]);
  }
  double potential(const ForceContext& context) const override {
    return law_.potential(context, context.signals[angle_].value - free_angle_);
  }
  double potential_rate(const ForceContext& context) const override {
    const Jet& angle = context.signals[angle_];
    return law_.potential_rate(context, angle.value - free_angle_, angle.rate);
  }

  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    law_.couple(context, angle_, free_angle_, couplings);
    return true;
  }

 private:
  ForceLaw law_;
  double free_angle_;
  int angle_, load_;
};

}  // namespace

std::unique_ptr<ForceElement> create(const RotationalSpring& spring, ForceBuilder& builder) {
  return std::make_unique<CoilSpring>(spring, builder);
}

}  // namespace bricard::force_kinds

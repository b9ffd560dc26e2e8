// Spring, damper or any law along the line between two points. Ends that coincide have no line, so no force.
#include "forces/force_law.h"

namespace bricard::force_kinds {
namespace {

class LineSpring : public ForceElement {
 public:
  LineSpring(const Spring& spring, ForceBuilder& builder)
      : law_(spring.stiffness, spring.damping, spring.law, builder),
        free_length_(spring.free_length),
        distance_(builder.signals().distance(builder.point(spring.from), builder.point(spring.to))),
        load_(builder.effort(distance_)) {
    if (spring.law) builder.measure_law(distance_, free_length_);
  }

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    const Jet& length = context.signals[distance_];
    apply_effort(context.signals, distance_, law_.value(context, length.value - free_length_, length.rate),
                 &loads[load_]);
  }
  double potential(const ForceContext& context) const override {
    return law_.potential(context, context.signals[distance_].value - free_length_);
  }
  double potential_rate(const ForceContext& context) const override {
    const Jet& length = context.signals[distance_];
    return law_.potential_rate(context, length.value - free_length_, length.rate);
  }

  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    law_.couple(context, distance_, free_length_, couplings);
    return true;
  }

 private:
  ForceLaw law_;
  double free_length_;
  int distance_, load_;
};

}  // namespace

std::unique_ptr<ForceElement> create(const Spring& spring, ForceBuilder& builder) {
  return std::make_unique<LineSpring>(spring, builder);
}

}  // namespace bricard::force_kinds

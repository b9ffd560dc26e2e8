// A generalised force on a joint coordinate, given by an expression: motors, controllers.
#include "forces/force_element.h"

namespace bricard::force_kinds {
namespace {

class JointActuator : public ForceElement {
 public:
  JointActuator(const Actuator& actuator, ForceBuilder& builder)
      : value_(builder.bind(actuator.value)),
        coordinate_(builder.coordinate(actuator.joint, actuator.coordinate)),
        load_(builder.effort(coordinate_)) {}

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    apply_effort(context.signals, coordinate_, value_.value(context.t, context.signals), &loads[load_]);
  }

  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    double time_partial = 0;
    const double effort = value_.gradient(context.t, context.signals, time_partial);
    couple_effort(context, coordinate_, effort, nullptr, 0, couplings);
    couple_expression(context, coordinate_, value_, couplings);
    return true;
  }

 private:
  BoundExpression value_;
  int coordinate_, load_;
};

}  // namespace

std::unique_ptr<ForceElement> create(const Actuator& actuator, ForceBuilder& builder) {
  return std::make_unique<JointActuator>(actuator, builder);
}

}  // namespace bricard::force_kinds

// A force: two poles attract each other by s k/d^2 along the line between them, with V = -k/d where s, the share of the
// current, is one. A current that changes stores nothing.
#include <bricard/extend.h>
#include <forces/force_element.h>

namespace {

using namespace bricard;

class Magnet : public ForceElement {
 public:
  Magnet(const CustomForce& force, ForceBuilder& builder)
      : k_(force.numbers.at("strength")),
        is_permanent_(force.formulas.at("current").is_constant()),
        current_(builder.bind(force.formulas.at("current"))),
        distance_(builder.signals().distance(builder.point(force.points[0]), builder.point(force.points[1]))),
        load_(builder.effort(distance_)) {}

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    apply_effort(context.signals, distance_, effort(context), &loads[load_]);
  }
  double potential(const ForceContext& context) const override {
    return is_permanent_ ? -share(context) * k_ / context.signals[distance_].value : 0;
  }
  double potential_rate(const ForceContext& context) const override {
    return is_permanent_ ? -effort(context) * context.signals[distance_].rate : 0;
  }

  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    if (!is_permanent_) return false;
    const double F = effort(context);
    const EffortSlope slope{distance_, -2 * F / context.signals[distance_].value, 0};
    couple_effort(context, distance_, F, &slope, 1, couplings);
    return true;
  }

 private:
  double share(const ForceContext& context) const { return current_.value(context.t, context.signals); }
  double effort(const ForceContext& context) const {
    const double d = context.signals[distance_].value;
    return -share(context) * k_ / (d * d);
  }

  double k_;
  bool is_permanent_;
  BoundExpression current_;
  int distance_, load_;
};

ForceType magnet() {
  return {.name = "magnet",
          .description = "attraction of two poles by the inverse square of their distance",
          .on = ForceOn::points,
          .keys = {{.name = "strength", .unit = {.mass = 1, .length = 3, .time = -2}},
                   {.name = "current", .standard = 1, .is_formula = true}},
          .any_units = true,
          .create = [](const CustomForce& force, ForceBuilder& builder) -> std::unique_ptr<ForceElement> {
            return std::make_unique<Magnet>(force, builder);
          }};
}

[[maybe_unused]] const bool registered = (register_force(magnet()), true);

}  // namespace

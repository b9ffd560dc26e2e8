// A force: drag of a fluid at rest on a point of a body, F = -c |v| v.
#include <bricard/extend.h>
#include <forces/force_element.h>

namespace {

using namespace bricard;

class Drag : public ForceElement {
 public:
  Drag(const CustomForce& force, ForceBuilder& builder)
      : c_(force.numbers.at("coefficient")), point_(builder.point(force.points[0])), load_(builder.load(point_)) {}

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    const Vec3& v = context.markers.rate[point_];
    loads[load_].value = -c_ * v.norm() * v;
  }

  /// dF/dv = -c (|v| I + v v^T/|v|)
  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    const Vec3& v = context.markers.rate[point_];
    const double speed = v.norm();
    Mat3 slope = Mat3::Zero();
    if (speed > 0) slope = -c_ * (speed * Mat3::Identity() + v * v.transpose() / speed);
    couplings.add(point_, point_, Mat3::Zero(), slope);
    return true;
  }

 private:
  double c_;
  int point_, load_;
};

ForceType drag() {
  return {.name = "drag",
          .description = "drag of a fluid at rest, quadratic in the velocity of a point",
          .on = ForceOn::body,
          .keys = {{.name = "coefficient", .unit = {.mass = 1, .length = -1}}},
          .any_units = true,
          .create = [](const CustomForce& force, ForceBuilder& builder) -> std::unique_ptr<ForceElement> {
            return std::make_unique<Drag>(force, builder);
          }};
}

[[maybe_unused]] const bool registered = (register_force(drag()), true);

}  // namespace

// A force on a point of a body by a function of the program, which sees the body as a whole. Its derivatives are not
// known.
#include "forces/force_element.h"

namespace bricard::force_kinds {
namespace {

class ForceOfFunction : public ForceElement {
 public:
  ForceOfFunction(const FunctionForce& law, ForceBuilder& builder)
      : function_(law.function),
        body_(law.at.body),
        reference_(builder.model().bodies[body_]),
        center_(builder.point({body_, reference_.center})),
        rotation_(builder.rotation(body_)),
        load_(builder.load(builder.point(law.at))) {
    for (int k = 0; k < 3; ++k) axes_[k] = builder.vector(body_, reference_.orientation * Vec3(Vec3::Unit(k)));
  }

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    const Markers& m = context.markers;
    Mat3 frame;
    for (int k = 0; k < 3; ++k) frame.col(k) = m.value[axes_[k]];
    loads[load_].value = function_(context.t, {.center = m.value[center_],
                                               .orientation = Quaternion(frame),
                                               .angle = reference_.angle + m.turn[body_],
                                               .velocity = m.rate[center_],
                                               .omega = m.rate[rotation_]});
  }

 private:
  ForceFunction function_;
  int body_;
  const Body& reference_;
  int center_, rotation_, load_;
  int axes_[3];
};

}  // namespace

std::unique_ptr<ForceElement> create(const FunctionForce& law, ForceBuilder& builder) {
  return std::make_unique<ForceOfFunction>(law, builder);
}

}  // namespace bricard::force_kinds

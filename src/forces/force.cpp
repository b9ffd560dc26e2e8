// A force on a point of a body.
#include "forces/applied_vector.h"

namespace bricard::force_kinds {
namespace {

class ForceOnPoint : public ForceElement {
 public:
  ForceOnPoint(const AppliedForce& law, ForceBuilder& builder)
      : vector_(law.vector, law.in_body_frame, law.at.body, builder),
        point_(builder.point(law.at)),
        load_(builder.load(point_)) {}

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    loads[load_].value = vector_.value(context);
  }

  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    vector_.couple(context, point_, couplings);
    return true;
  }

 private:
  AppliedVector vector_;
  int point_, load_;
};

}  // namespace

std::unique_ptr<ForceElement> create(const AppliedForce& law, ForceBuilder& builder) {
  return std::make_unique<ForceOnPoint>(law, builder);
}

}  // namespace bricard::force_kinds

// A force on a point of a body.
#include "forces/applied_vector.h"

namespace bricard::force_kinds {
namespace {

class ForceOnPoint : public ForceElement {
 public:
  ForceOnPoint(const AppliedForce& law, ForceBuilder& builder)
      : vector_(law.vector, law.in_body_frame, law.at.body, builder), load_(builder.load(builder.point(law.at))) {}

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    loads[load_].value = vector_.value(context);
  }

 private:
  AppliedVector vector_;
  int load_;
};

}  // namespace

std::unique_ptr<ForceElement> create(const AppliedForce& law, ForceBuilder& builder) {
  return std::make_unique<ForceOnPoint>(law, builder);
}

}  // namespace bricard::force_kinds

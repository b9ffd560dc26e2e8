// A torque on a body.
#include "forces/applied_vector.h"

namespace bricard::force_kinds {
namespace {

class TorqueOnBody : public ForceElement {
 public:
  TorqueOnBody(const AppliedTorque& law, ForceBuilder& builder)
      : vector_(law.vector, law.in_body_frame, law.body, builder),
        turning_(builder.rotation(law.body)),
        load_(builder.load(turning_)) {}

  void evaluate(const ForceContext& context, std::vector<Load>& loads) const override {
    loads[load_].value = vector_.value(context);
  }

  bool couple(const ForceContext& context, LoadCouplings& couplings) const override {
    vector_.couple(context, turning_, couplings);
    return true;
  }

 private:
  AppliedVector vector_;
  int turning_, load_;
};

}  // namespace

std::unique_ptr<ForceElement> create(const AppliedTorque& law, ForceBuilder& builder) {
  return std::make_unique<TorqueOnBody>(law, builder);
}

}  // namespace bricard::force_kinds

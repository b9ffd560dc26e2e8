#include "forces/force_element.h"
#include "model/registry.h"

namespace bricard {

namespace force_kinds {
#define FORCE(name, description, type) std::unique_ptr<ForceElement> create(const type& law, ForceBuilder& builder);
#include "forces/forces.def"
#undef FORCE
}  // namespace force_kinds

const std::deque<ForceType>& force_types() {
  static const Registry<ForceType> types = {
#define FORCE(name, description, type) {#name, description},
#include "forces/forces.def"
#undef FORCE
  };
  return types.all();
}

std::unique_ptr<ForceElement> create_force(const Force& force, ForceBuilder& builder) {
  return std::visit([&](const auto& law) { return force_kinds::create(law, builder); }, force.law);
}

int ForceBuilder::load(int marker) {
  loads_.push_back({marker, Vec3::Zero()});
  return static_cast<int>(loads_.size()) - 1;
}

int ForceBuilder::effort(int signal) {
  rows_.use(signal);
  const int first = static_cast<int>(loads_.size());
  for (int e = 0; e < signals().entries(signal); ++e) load(signals().markers_of(signal)[e]);
  return first;
}

void apply_effort(const Signals& signals, int signal, double effort, Load* loads) {
  for (int e = 0; e < signals.entries(signal); ++e) loads[e].value = effort * signals.gradient(signal)[e];
}

}  // namespace bricard

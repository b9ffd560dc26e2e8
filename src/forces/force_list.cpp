#include <fmt/format.h>

#include "bricard/extend.h"
#include "forces/force_element.h"
#include "model/registry.h"

namespace bricard {

namespace force_kinds {
#define FORCE(name, description, type) std::unique_ptr<ForceElement> create(const type& law, ForceBuilder& builder);
#include "forces/forces.def"
#undef FORCE
std::unique_ptr<ForceElement> create(const FunctionForce& law, ForceBuilder& builder);
std::unique_ptr<ForceElement> create(const CustomForce& law, ForceBuilder& builder) {
  const ForceType* type = find_force_type(law.type);
  if (!type || !type->create) throw InputError(fmt::format("unknown force type '{}'", law.type));
  return type->create(law, builder);
}
}  // namespace force_kinds

namespace {

Registry<ForceType>& registry() {
  static Registry<ForceType> types = {
#define FORCE(name, description, type) {#name, description},
#include "forces/forces.def"
#undef FORCE
  };
  return types;
}

}  // namespace

const std::deque<ForceType>& force_types() { return registry().all(); }
const ForceType* find_force_type(const std::string& name) { return registry().find(name); }
void register_force(const ForceType& type) {
  if (type.name && !type.create)
    throw InputError(fmt::format("force type '{}' has nothing that creates it", type.name));
  registry().add(type, "force type");
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

#include "dynamics/dynamics.h"

#include "model/registry.h"

namespace bricard {

namespace engines {
#define DYNAMICS(function) DynamicsType function();
#include "dynamics/dynamics.def"
#undef DYNAMICS
}  // namespace engines

namespace {

const Registry<DynamicsType>& registry() {
  static const Registry<DynamicsType> types = {
#define DYNAMICS(function) engines::function(),
#include "dynamics/dynamics.def"
#undef DYNAMICS
  };
  return types;
}

}  // namespace

const std::deque<DynamicsType>& dynamics_types() { return registry().all(); }
const DynamicsType* find_dynamics_type(const std::string& name) { return registry().find(name); }

bool Dynamics::forces_are_finite() {
  if (eq_.Q.allFinite()) return true;
  const std::string name = system_.force_without_value();
  failure_ = name.empty() ? "a generalised force is not a number" : "force " + name + " is not a number";
  return false;
}

Status Dynamics::fail_not_finite() {
  const std::string name = system_.force_without_value();
  return fail(name.empty() ? "the accelerations are not finite" : "force " + name + " is not a number");
}

}  // namespace bricard

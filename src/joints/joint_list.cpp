#include "bricard/extend.h"
#include "model/joint_type.h"
#include "model/registry.h"

namespace bricard {

namespace joint_kinds {
#define JOINT(function) JointType function();
#include "joints/joints.def"
#undef JOINT
}  // namespace joint_kinds

namespace {

Registry<JointType>& registry() {
  static Registry<JointType> types = {
#define JOINT(function) joint_kinds::function(),
#include "joints/joints.def"
#undef JOINT
  };
  return types;
}

}  // namespace

const std::deque<JointType>& joint_types() { return registry().all(); }
const JointType* find_joint_type(const std::string& name) { return registry().find(name); }
void register_joint(const JointType& type) { registry().add(type, "joint type"); }

std::vector<std::string> coordinate_names(const JointType& type, Dimension dimension) {
  std::vector<std::string> names;
  for (JointCoordinate kind : type.coordinates(dimension)) {
    const std::string name = kind == JointCoordinate::angle ? "angle" : "position";
    names.push_back(!names.empty() && names.front() == name ? name + "2" : name);
  }
  return names;
}

}  // namespace bricard

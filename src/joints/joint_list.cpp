#include "bricard/extend.h"
#include "model/joint_type.h"
#include "model/registered_types.h"

namespace bricard {

namespace joint_kinds {
#define JOINT(function) JointType function();
#include "joints/joints.def"
#undef JOINT
}  // namespace joint_kinds

namespace {

std::vector<JointType>& types() {
  static std::vector<JointType> all = {
#define JOINT(function) joint_kinds::function(),
#include "joints/joints.def"
#undef JOINT
  };
  return all;
}

}  // namespace

const std::vector<JointType>& joint_types() { return types(); }

void register_joint(const JointType& type) { register_type(types(), type, "joint type"); }

const JointType* find_joint_type(const std::string& name) {
  for (const JointType& type : joint_types()) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

std::vector<std::string> coordinate_names(const JointType& type, Dimension dimension) {
  std::vector<std::string> names;
  for (JointCoordinate kind : type.coordinates(dimension)) {
    const std::string name = kind == JointCoordinate::angle ? "angle" : "position";
    names.push_back(!names.empty() && names.front() == name ? name + "2" : name);
  }
  return names;
}

}  // namespace bricard

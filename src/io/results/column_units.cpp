#include "io/results/column_units.h"

#include <algorithm>
#include <map>

#include "model/joint_type.h"

namespace bricard {
namespace {

template <class Thing>
const Thing* find_named(const std::vector<Thing>& things, const std::string& name) {
  const auto found = std::find_if(things.begin(), things.end(), [&](const Thing& thing) { return thing.name == name; });
  return found == things.end() ? nullptr : &*found;
}

/// Of the joint's coordinate of that number.
bool is_angle(const Model& model, const Joint& joint, std::size_t number) {
  const JointType* type = find_joint_type(joint.type);
  const auto& coordinates = type->coordinates(model.dimension);
  return number < coordinates.size() && coordinates[number] == JointCoordinate::angle;
}

}  // namespace

std::string column_unit(const Model& model, const std::string& column) {
  if (column == "time") return "s";
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos) return "";
  const std::string owner = column.substr(0, dot), what = column.substr(dot + 1);
  if (owner == "energy" && !find_named(model.bodies, owner)) return "J";
  if (find_named(model.bodies, owner)) {
    static const std::map<std::string, std::string> units = {{"x", "m"},
                                                             {"y", "m"},
                                                             {"z", "m"},
                                                             {"angle", "rad"},
                                                             {"qw", "1"},
                                                             {"qx", "1"},
                                                             {"qy", "1"},
                                                             {"qz", "1"},
                                                             {"vx", "m/s"},
                                                             {"vy", "m/s"},
                                                             {"vz", "m/s"},
                                                             {"omega", "rad/s"},
                                                             {"wx", "rad/s"},
                                                             {"wy", "rad/s"},
                                                             {"wz", "rad/s"},
                                                             {"ax", "m/s^2"},
                                                             {"ay", "m/s^2"},
                                                             {"az", "m/s^2"},
                                                             {"alpha", "rad/s^2"},
                                                             {"alphax", "rad/s^2"},
                                                             {"alphay", "rad/s^2"},
                                                             {"alphaz", "rad/s^2"}};
    const auto found = units.find(what);
    return found == units.end() ? "" : found->second;
  }
  if (const Joint* joint = find_named(model.joints, owner)) {
    if (what == "position") return "m";
    if (what.starts_with("angle")) return "rad";
    if (what.size() == 2 && what[0] == 'f') return "N";
    if (what.size() == 2 && what[0] == 'm') return "N m";
    const bool turns = is_angle(model, *joint, what.ends_with("2") ? 1 : 0);
    if (what.starts_with("rate")) return turns ? "rad/s" : "m/s";
    if (what.starts_with("friction")) return turns ? "N m" : "N";
    if (what == "power") return "W";
    return "";
  }
  if (const Motion* motion = find_named(model.motions, owner); motion && what == "effort") {
    const bool turns = motion->joint >= 0 &&
                       is_angle(model, model.joints[motion->joint], static_cast<std::size_t>(motion->coordinate));
    return turns ? "N m" : "N";
  }
  return "";
}

}  // namespace bricard

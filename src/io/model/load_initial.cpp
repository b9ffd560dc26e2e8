// motions: and initial:
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/model/loader.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

Motion load_motion(Loader& loader, const NamedNode& entry) {
  Motion motion;
  motion.name = entry.name;
  const bool of_joint = find_entry(entry.node, "joint").has_value();
  const Fields fields(entry.node, of_joint ? "the motion of a joint" : "the motion of a body",
                      of_joint ? std::vector<std::string>{"joint", "coordinate", "position"}
                               : std::vector<std::string>{"body", "at", "direction", "position"});
  if (!fields.valid()) return motion;
  if (of_joint) {
    const std::optional<InputNode> node = fields.find("joint");
    if (const std::optional<int> joint = loader.joint(*node)) {
      motion.joint = *joint;
      motion.coordinate = loader.coordinate(*joint, *node, fields.find("coordinate"), false).value_or(0);
    }
  } else if (!fields.has("body")) {
    entry.node.error("a motion needs the key 'joint' or the key 'body'");
    return motion;
  } else {
    const std::optional<int> body = loader.moving_body(*fields.find("body"));
    motion.point.body = body.value_or(ground);
    if (body) motion.point.place = loader.model.bodies[*body].center;
    if (const std::optional<InputNode> at = fields.find("at"))
      motion.point.place = loader.place(*at, motion.point.body);
    if (const std::optional<InputNode> direction = fields.require("direction"))
      motion.direction = loader.direction(*direction);
  }
  if (const std::optional<InputNode> position = fields.require("position"))
    motion.position = loader.time_law(*position);
  return motion;
}

// A number for the joint's first coordinate, or a map with the coordinates by name.
void load_joint_values(Loader& loader, const NamedNode& entry, int joint, std::vector<InitialJointValue>& values) {
  const std::vector<std::string> names = loader.coordinate_names(joint);
  if (loader.joint_type(joint) == nullptr) return;  // noted where the joint is
  if (names.empty()) {
    entry.name_error(
        fmt::format("joint '{}' is of type {}, which has no coordinate", entry.name, loader.model.joints[joint].type));
    return;
  }
  if (!entry.node.is_map()) {
    values.push_back({joint, 0, loader.number(entry.node)});
    return;
  }
  const Fields fields(entry.node, fmt::format("joint '{}'", entry.name), names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (const std::optional<InputNode> node = fields.find(names[k])) {
      values.push_back({joint, static_cast<int>(k), loader.number(*node)});
    }
  }
}

void load_placement(Loader& loader, const NamedNode& entry, int body) {
  const std::string turn = loader.planar() ? "angle" : "orientation";
  const Fields fields(entry.node, fmt::format("the placement of body '{}'", entry.name), {"center", turn});
  InitialPlacement placement;
  placement.body = body;
  if (const std::optional<InputNode> center = fields.find("center")) placement.center = loader.place(*center);
  if (const std::optional<InputNode> node = fields.find(turn)) {
    if (loader.planar()) {
      placement.angle = loader.number(*node);
    } else {
      placement.orientation = load_orientation(loader, *node);
    }
  }
  if (fields.empty()) entry.node.error(fmt::format("needs one of the keys 'center', '{}'", turn));
  loader.model.initial.placements.push_back(placement);
}

void load_twist(Loader& loader, const NamedNode& entry, int body) {
  const Fields fields(entry.node, fmt::format("the velocity of body '{}'", entry.name), {"linear", "angular"});
  InitialTwist twist;
  twist.body = body;
  if (const std::optional<InputNode> linear = fields.find("linear")) twist.linear = loader.vector(*linear);
  if (const std::optional<InputNode> angular = fields.find("angular")) {
    twist.angular = loader.planar() ? Vec3(0, 0, loader.number(*angular)) : loader.vector(*angular);
  }
  if (fields.empty()) entry.node.error("needs one of the keys 'linear', 'angular'");
  loader.model.initial.twists.push_back(twist);
}

// Entries of joints and bodies. Where both have the name, a number is of the joint and a map is of the body.
void load_start(Loader& loader, const InputNode& node, std::vector<InitialJointValue>& values,
                void (*load_body_start)(Loader& loader, const NamedNode& entry, int body)) {
  for (const NamedNode& entry : named_nodes(node, "a map of joints and bodies")) {
    const std::optional<int> joint = loader.find_joint(entry.name), body = loader.find_body(entry.name);
    if (body == ground) {
      entry.name_error("the ground cannot move");
    } else if (joint && !(body && entry.node.is_map())) {
      load_joint_values(loader, entry, *joint, values);
    } else if (body) {
      load_body_start(loader, entry, *body);
    } else {
      entry.name_error(loader.unknown("joint or body", entry.name, loader.model.bodies.size(), [&] {
        std::vector<std::string> known = loader.joint_names();
        for (const std::string& name : loader.body_names()) {
          if (name != "ground") known.push_back(name);
        }
        return known;
      }));
    }
  }
}

}  // namespace

void load_motions(Loader& loader, const InputNode& node) {
  for (const NamedNode& entry : named_nodes(node, "a map of motions")) {
    loader.model.motions.push_back(load_motion(loader, entry));
    const std::optional<int> namesake = loader.find_joint(entry.name);
    const JointType* type = namesake ? loader.joint_type(*namesake) : nullptr;
    // Joints that are equations alone have an effort in place of a reaction.
    if (type && std::find(type->keys.begin(), type->keys.end(), "no-bodies") != type->keys.end())
      entry.name_error(
          fmt::format("a joint has the name '{0}' too, and both would have the column '{0}.effort'", entry.name));
  }
}

void load_initial(Loader& loader, const InputNode& node) {
  if (node.is_null()) return;
  const Fields fields(node, "the start", {"positions", "velocities"});
  Initial& initial = loader.model.initial;
  if (const std::optional<InputNode> positions = fields.find("positions")) {
    load_start(loader, *positions, initial.joint_positions, load_placement);
  }
  if (const std::optional<InputNode> velocities = fields.find("velocities")) {
    load_start(loader, *velocities, initial.joint_rates, load_twist);
  }
}

}  // namespace bricard

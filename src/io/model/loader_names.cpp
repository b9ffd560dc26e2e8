// Names and places: parameters, points, bodies, joints, and what a signal in a formula refers to.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/model/loader.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

template <class Value>
std::vector<std::string> keys_of(const std::map<std::string, Value>& names) {
  std::vector<std::string> result;
  for (const auto& [name, value] : names) result.push_back(name);
  return result;
}

}  // namespace

std::string Loader::unknown(const std::string& kind, const std::string& name, std::size_t count,
                            const std::function<std::vector<std::string>()>& known) const {
  return fmt::format("unknown {} '{}'{}", kind, name, problems_.may_compare(count) ? suggestion(name, known()) : "");
}

void Loader::add_parameter(const std::string& name, double value) {
  parameters_[name] = value;
  model.parameters.emplace_back(name, value);
}

void Loader::add_broken_parameter(const std::string& name) { broken_.insert(name); }

void Loader::add_point(const std::string& name, const Vec3& place) {
  points_[name] = place;
  model.points.emplace_back(name, place);
}

void Loader::add_body(const std::string& name) { bodies_.emplace(name, static_cast<int>(bodies_.size())); }

void Loader::add_joint(const std::string& name) { joints_.emplace(name, static_cast<int>(joints_.size())); }

std::vector<std::string> Loader::body_names() const {
  std::vector<std::string> names = keys_of(bodies_);
  names.push_back("ground");
  return names;
}

std::vector<std::string> Loader::joint_names() const { return keys_of(joints_); }

std::optional<int> Loader::find_body(const std::string& name) const {
  if (name == "ground") return ground;
  const auto found = bodies_.find(name);
  return found == bodies_.end() ? std::nullopt : std::optional<int>(found->second);
}

std::optional<int> Loader::find_joint(const std::string& name) const {
  const auto found = joints_.find(name);
  return found == joints_.end() ? std::nullopt : std::optional<int>(found->second);
}

std::optional<int> Loader::body(const InputNode& node) const {
  const std::string name = node.word("the name of a body");
  if (name.empty()) return std::nullopt;
  const std::optional<int> found = find_body(name);
  if (!found) node.error(unknown("body", name, bodies_.size(), [this] { return body_names(); }));
  return found;
}

std::optional<int> Loader::moving_body(const InputNode& node) const {
  const std::optional<int> found = body(node);
  if (found != ground) return found;
  node.error("the ground cannot move; name a body");
  return std::nullopt;
}

std::optional<int> Loader::joint(const InputNode& node) const {
  const std::string name = node.word("the name of a joint");
  if (name.empty()) return std::nullopt;
  const std::optional<int> found = find_joint(name);
  if (!found) node.error(unknown("joint", name, joints_.size(), [this] { return joint_names(); }));
  return found;
}

std::optional<std::pair<int, int>> Loader::body_pair(const InputNode& node) const {
  const std::vector<InputNode> items = node.items(2, "a list of 2 bodies");
  if (items.empty()) return std::nullopt;
  const std::optional<int> i = body(items[0]), j = body(items[1]);
  if (!i || !j) return std::nullopt;
  if (*i == *j) {
    node.error(fmt::format("joins '{}' to itself", items[0].text()));
    return std::nullopt;
  }
  return std::pair(*i, *j);
}

Vec3 Loader::place(const InputNode& node, int user) {
  if (node.is_list()) return vector(node);
  const std::string name = node.word(fmt::format("a point or {} coordinates", vector_size()));
  if (name.empty()) return unknown_vector;
  const auto found = points_.find(name);
  if (found == points_.end()) {
    node.error(unknown("point", name, points_.size(), [this] { return keys_of(points_); }));
    return unknown_vector;
  }
  claim(name, user);
  return found->second;
}

void Loader::claim(const std::string& point, int user) {
  if (user != ground) point_owners_.emplace(point, user);  // keeps the first
}

std::vector<std::string> Loader::coordinate_names(int joint) const {
  const JointType* type = joint_type(joint);
  return type == nullptr ? std::vector<std::string>{} : bricard::coordinate_names(*type, model.dimension);
}

std::optional<int> Loader::find_coordinate(int joint, const std::string& name) const {
  const std::vector<std::string> names = coordinate_names(joint);
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional<int>(found - names.begin());
}

std::optional<int> Loader::coordinate(int joint, const InputNode& joint_node, const std::optional<InputNode>& key,
                                      bool rather_angle) const {
  const JointType* type = joint_type(joint);
  if (type == nullptr) return std::nullopt;  // noted where the joint is
  const std::vector<std::string> names = coordinate_names(joint);
  if (names.empty()) {
    joint_node.error(
        fmt::format("joint '{}' is of type {}, which has no coordinate", model.joints[joint].name, type->name));
    return std::nullopt;
  }
  if (!key) return rather_angle ? find_coordinate(joint, "angle").value_or(0) : 0;
  const std::string name = key->word("the name of a joint coordinate");
  if (name.empty()) return std::nullopt;
  const std::optional<int> found = find_coordinate(joint, name);
  if (!found) {
    key->error(fmt::format("'{}' is not a coordinate of joint '{}' of type {}; it has {}", name,
                           model.joints[joint].name, type->name, fmt::join(names, ", ")));
  }
  return found;
}

Signal Loader::resolve_joint(Quantity quantity, const std::string& name) const {
  const std::optional<int> joint = find_joint(name);
  if (!joint) throw std::runtime_error(unknown("joint", name, joints_.size(), [this] { return joint_names(); }));
  Signal signal;
  signal.quantity = quantity;
  signal.target = *joint;
  if (joint_type(*joint) == nullptr) return signal;  // noted where the joint is
  const std::vector<std::string> names = coordinate_names(*joint);
  const auto has = [&](const std::string& wanted) {
    return std::find(names.begin(), names.end(), wanted) != names.end();
  };
  const bool valid = quantity == Quantity::angle      ? has("angle")
                     : quantity == Quantity::angle2   ? has("angle2")
                     : quantity == Quantity::position ? has("position")
                     : quantity == Quantity::rate     ? !names.empty()
                                                      : names.size() > 1;
  if (!valid) {
    const std::string type = model.joints[*joint].type;
    throw std::runtime_error(names.empty()
                                 ? fmt::format("joint '{}' is of type {}, which has no coordinate", name, type)
                                 : fmt::format("joint '{}' of type {} has only the coordinate{} {}", name, type,
                                               names.size() > 1 ? "s" : "", fmt::join(names, ", ")));
  }
  return signal;
}

Attachment Loader::resolve_place(const std::string& name) const {
  if (const std::optional<int> body = find_body(name)) {
    return {*body, *body == ground ? Vec3(Vec3::Zero()) : model.bodies[*body].center};
  }
  const std::size_t dot = name.find('.');
  const std::string point = dot == std::string::npos ? name : name.substr(dot + 1);
  const auto found = points_.find(point);
  if (dot != std::string::npos) {
    const std::optional<int> body = find_body(name.substr(0, dot));
    if (!body)
      throw std::runtime_error(unknown("body", name.substr(0, dot), bodies_.size(), [this] { return body_names(); }));
    if (found == points_.end())
      throw std::runtime_error(unknown("point", point, points_.size(), [this] { return keys_of(points_); }));
    return {*body, found->second};
  }
  if (found == points_.end()) {
    throw std::runtime_error(unknown("body or point", name, bodies_.size() + points_.size(), [this] {
      std::vector<std::string> known = body_names();
      for (const std::string& candidate : keys_of(points_)) known.push_back(candidate);
      return known;
    }));
  }
  const auto owner = point_owners_.find(point);
  return {owner == point_owners_.end() ? ground : owner->second, found->second};
}

Signal Loader::resolve(Quantity quantity, const std::vector<std::string>& arguments) const {
  switch (quantity) {
    case Quantity::angle:
    case Quantity::angle2:
    case Quantity::position:
    case Quantity::rate:
    case Quantity::rate2: return resolve_joint(quantity, arguments.at(0));
    case Quantity::z:
    case Quantity::vz:
    case Quantity::wx:
    case Quantity::wy:
      if (planar()) throw std::runtime_error("a planar model has no z, vz, wx and wy");
      break;
    default: break;
  }
  const Attachment first = resolve_place(arguments.at(0));
  Signal signal;
  signal.quantity = quantity;
  signal.target = first.body;
  if (quantity == Quantity::wx || quantity == Quantity::wy || quantity == Quantity::wz) return signal;
  signal.place = first.place;
  if (quantity == Quantity::distance) {
    const Attachment second = resolve_place(arguments.at(1));
    signal.other_target = second.body;
    signal.other_place = second.place;
  }
  return signal;
}

}  // namespace bricard

// forces: one reader for each type.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "forces/force_element.h"
#include "io/model/loader.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

// Gives the expression, once it can be parsed, to the law of a force that is in the model by then.
template <class Law, class Use>
void later(Loader& loader, std::size_t index, const InputNode& node, const std::vector<std::string>& variables,
           const Use& use) {
  loader.signal_law(node, variables, [&loader, index, use](const Expression& expression) {
    use(std::get<Law>(loader.model.forces[index].law), expression);
  });
}

bool load_frame(const Fields& fields) {
  const std::optional<InputNode> node = fields.find("frame");
  if (!node) return false;
  const std::string name = node->word("'world' or 'body'");
  if (!name.empty() && name != "world" && name != "body") {
    node->error(fmt::format("unknown frame '{}'{}", name, suggestion(name, {"world", "body"})));
  }
  return name == "body";
}

// Three expressions for the components of a vector; two in a planar model.
template <class Law>
void load_components(Loader& loader, std::size_t index, const InputNode& node) {
  const std::string what = fmt::format("a list of {} numbers or expressions", loader.vector_size());
  const std::vector<InputNode> items = node.items(loader.vector_size(), what);
  for (std::size_t k = 0; k < items.size(); ++k) {
    later<Law>(loader, index, items[k], {},
               [k](Law& law, const Expression& expression) { law.vector[k] = expression; });
  }
}

// `body:` and `at:`
Attachment load_point(Loader& loader, const Fields& fields) {
  Attachment point;
  const std::optional<InputNode> node = fields.require("body");
  const std::optional<int> body = node ? loader.moving_body(*node) : std::nullopt;
  point.body = body.value_or(ground);
  if (const std::optional<InputNode> at = fields.find("at")) {
    point.place = loader.place(*at, point.body);
  } else if (body) {
    point.place = loader.model.bodies[*body].center;
  }
  return point;
}

AppliedForce load_force(Loader& loader, const Fields& fields, std::size_t index) {
  AppliedForce force;
  force.in_body_frame = load_frame(fields);
  force.at = load_point(loader, fields);
  if (const std::optional<InputNode> vector = fields.require("vector"))
    load_components<AppliedForce>(loader, index, *vector);
  return force;
}

AppliedTorque load_torque(Loader& loader, const Fields& fields, std::size_t index) {
  AppliedTorque torque;
  torque.in_body_frame = load_frame(fields);
  if (const std::optional<InputNode> body = fields.require("body"))
    torque.body = loader.moving_body(*body).value_or(ground);
  const std::optional<InputNode> value = fields.require("value");
  if (!value) return torque;
  if (loader.planar()) {
    later<AppliedTorque>(loader, index, *value, {},
                         [](AppliedTorque& law, const Expression& expression) { law.vector[2] = expression; });
  } else {
    load_components<AppliedTorque>(loader, index, *value);
  }
  return torque;
}

// `law:` or stiffness and damping. Of `law:`, x is the deformation and v its rate.
template <class Law>
void load_spring_law(Loader& loader, const Fields& fields, std::size_t index, Law& spring) {
  if (const std::optional<InputNode> law = fields.find("law")) {
    for (const char* key : {"stiffness", "damping"}) {
      fields.refuse(key, fmt::format("give '{}' or 'law', not both", key));
    }
    later<Law>(loader, index, *law, {"x", "v"},
               [](Law& target, const Expression& expression) { target.law = expression; });
    return;
  }
  const std::optional<InputNode> stiffness = fields.find("stiffness"), damping = fields.find("damping");
  if (!stiffness && !damping) fields.node().error("a spring needs one of the keys 'stiffness', 'damping', 'law'");
  if (stiffness) spring.stiffness = loader.number(*stiffness);
  if (damping) spring.damping = loader.number(*damping);
}

std::optional<Attachment> load_attachment(Loader& loader, const InputNode& node) {
  const std::vector<InputNode> items = node.items(2, "a list of a body and a place on it");
  if (items.empty()) return std::nullopt;
  const std::optional<int> body = loader.body(items[0]);
  const Vec3 place = loader.place(items[1], body.value_or(ground));
  return body ? std::optional<Attachment>({*body, place}) : std::nullopt;
}

// `between:`; false if an end is not known.
bool load_ends(Loader& loader, const Fields& fields, const std::string& what, Attachment& from, Attachment& to) {
  const std::optional<InputNode> between = fields.require("between");
  if (!between) return false;
  const std::vector<InputNode> ends = between->items(2, "a list of 2 ends, each [body, place]");
  if (ends.empty()) return false;
  const std::optional<Attachment> first = load_attachment(loader, ends[0]), second = load_attachment(loader, ends[1]);
  if (first && second && first->body == second->body)
    between->error(fmt::format("both ends are on the same body, so the {} does nothing", what));
  from = first.value_or(Attachment{});
  to = second.value_or(Attachment{});
  return first && second;
}

// `bodies:` and `at:`
void load_place_on_both(Loader& loader, const Fields& fields, Attachment& i, Attachment& j) {
  if (const std::optional<InputNode> node = fields.require("bodies")) {
    if (const std::optional<std::pair<int, int>> pair = loader.body_pair(*node)) {
      i.body = pair->first;
      j.body = pair->second;
    }
  }
  if (const std::optional<InputNode> at = fields.require("at"))
    i.place = j.place = loader.place(*at, j.body != ground ? j.body : i.body);
}

Spring load_spring(Loader& loader, const Fields& fields, std::size_t index) {
  Spring spring;
  const bool attached = load_ends(loader, fields, "spring", spring.from, spring.to);
  load_spring_law(loader, fields, index, spring);
  if (const std::optional<InputNode> free_length = fields.find("free_length")) {
    spring.free_length = loader.not_negative(*free_length);
  } else if (attached) {
    spring.free_length = (spring.to.place - spring.from.place).stableNorm();
  }
  return spring;
}

// `joint:` and `coordinate:`
template <class Law>
void load_joint_coordinate(Loader& loader, const Fields& fields, bool rather_angle, Law& law) {
  const std::optional<InputNode> node = fields.require("joint");
  const std::optional<int> joint = node ? loader.joint(*node) : std::nullopt;
  if (!joint) return;
  law.joint = *joint;
  law.coordinate = loader.coordinate(*joint, *node, fields.find("coordinate"), rather_angle).value_or(0);
}

RotationalSpring load_rotational_spring(Loader& loader, const Fields& fields, std::size_t index) {
  RotationalSpring spring;
  load_joint_coordinate(loader, fields, true, spring);
  load_spring_law(loader, fields, index, spring);
  if (const std::optional<InputNode> free_angle = fields.find("free_angle"))
    spring.free_angle = loader.number(*free_angle);
  return spring;
}

Actuator load_actuator(Loader& loader, const Fields& fields, std::size_t index) {
  Actuator actuator;
  load_joint_coordinate(loader, fields, false, actuator);
  if (const std::optional<InputNode> value = fields.require("value")) {
    later<Actuator>(loader, index, *value, {},
                    [](Actuator& law, const Expression& expression) { law.value = expression; });
  }
  return actuator;
}

// x y z and the rotations about them; x, y and the rotation about z in a planar model.
std::array<double, 6> load_six(Loader& loader, const InputNode& node) {
  std::array<double, 6> result{};
  if (loader.planar()) {
    const std::vector<double> read = loader.numbers(node, 3, "a list of 3 numbers (x, y, rotation)");
    result[0] = read[0];
    result[1] = read[1];
    result[5] = read[2];
  } else {
    const std::vector<double> read = loader.numbers(node, 6, "a list of 6 numbers (x, y, z, rotations about x, y, z)");
    std::copy(read.begin(), read.end(), result.begin());
  }
  return result;
}

Bushing load_bushing(Loader& loader, const Fields& fields, std::size_t) {
  Bushing bushing;
  Attachment i, j;
  load_place_on_both(loader, fields, i, j);
  bushing.i = i.body;
  bushing.j = j.body;
  bushing.at = i.place;
  if (const std::optional<InputNode> stiffness = fields.require("stiffness"))
    bushing.stiffness = load_six(loader, *stiffness);
  if (const std::optional<InputNode> damping = fields.find("damping")) bushing.damping = load_six(loader, *damping);
  return bushing;
}

Rotor load_rotor(Loader& loader, const Fields& fields, std::size_t) {
  Rotor rotor;
  if (const std::optional<InputNode> body = fields.require("body"))
    rotor.body = loader.moving_body(*body).value_or(ground);
  if (loader.planar()) {
    fields.refuse("axis", "the axis of a rotor in a planar model is z: leave 'axis' out");
  } else if (const std::optional<InputNode> axis = fields.require("axis")) {
    rotor.axis = loader.direction(*axis);
  }
  if (const std::optional<InputNode> inertia = fields.require("inertia")) rotor.inertia = loader.not_negative(*inertia);
  if (const std::optional<InputNode> speed = fields.require("speed")) rotor.speed = loader.time_law(*speed);
  return rotor;
}

// The reader of each type, with the keys it understands beside `type`.
struct ForceReader {
  std::string name;
  std::vector<std::string> keys;
  void (*read)(Loader& loader, const Fields& fields, std::size_t index);
};

template <class Law, Law (*load)(Loader&, const Fields&, std::size_t)>
void read_into_model(Loader& loader, const Fields& fields, std::size_t index) {
  loader.model.forces[index].law = load(loader, fields, index);
}

const std::vector<ForceReader>& force_readers() {
  static const std::vector<ForceReader> types = {
      {"force", {"body", "at", "vector", "frame"}, read_into_model<AppliedForce, load_force>},
      {"torque", {"body", "value", "frame"}, read_into_model<AppliedTorque, load_torque>},
      {"spring", {"between", "stiffness", "damping", "free_length", "law"}, read_into_model<Spring, load_spring>},
      {"rotational_spring",
       {"joint", "coordinate", "stiffness", "damping", "free_angle", "law"},
       read_into_model<RotationalSpring, load_rotational_spring>},
      {"actuator", {"joint", "coordinate", "value"}, read_into_model<Actuator, load_actuator>},
      {"bushing", {"bodies", "at", "stiffness", "damping"}, read_into_model<Bushing, load_bushing>},
      {"rotor", {"body", "axis", "inertia", "speed"}, read_into_model<Rotor, load_rotor>},
  };
  return types;
}

// --- types that the program has registered ---

std::vector<std::string> custom_keys(const ForceType& type) {
  std::vector<std::string> keys;
  switch (type.on) {
    case ForceOn::model: break;
    case ForceOn::body: keys = {"body", "at"}; break;
    case ForceOn::points: keys = {"between"}; break;
    case ForceOn::bodies: keys = {"bodies", "at"}; break;
    case ForceOn::joint: keys = {"joint", "coordinate"}; break;
  }
  for (const ForceKey& key : type.keys) keys.emplace_back(key.name);
  return keys;
}

void load_custom_point(Loader& loader, const Fields& fields, const ForceType& type, CustomForce& force) {
  switch (type.on) {
    case ForceOn::model: return;
    case ForceOn::body: force.points = {load_point(loader, fields)}; return;
    case ForceOn::points:
      force.points.resize(2);
      load_ends(loader, fields, type.name, force.points[0], force.points[1]);
      return;
    case ForceOn::bodies:
      force.points.resize(2);
      load_place_on_both(loader, fields, force.points[0], force.points[1]);
      return;
    case ForceOn::joint: load_joint_coordinate(loader, fields, false, force); return;
  }
}

void load_custom(Loader& loader, const Fields& fields, std::size_t index, const ForceType& type) {
  CustomForce force;
  force.type = type.name;
  load_custom_point(loader, fields, type, force);
  for (const ForceKey& key : type.keys) {
    const std::string name = key.name;
    const std::optional<InputNode> node = key.standard ? fields.find(name) : fields.require(name);
    if (key.is_formula) {
      force.formulas[name] = Expression(key.standard.value_or(0));
      const auto use = [name](CustomForce& law, const Expression& formula) { law.formulas[name] = formula; };
      if (node) later<CustomForce>(loader, index, *node, {}, use);
    } else {
      force.numbers[name] = node ? loader.number(*node) : key.standard.value_or(unset);
    }
  }
  loader.model.forces[index].law = force;
}

const ForceType* load_type(const NamedNode& entry) {
  if (!entry.node.is_map()) {
    entry.node.expected("a map with the keys of a force (type, ...)");
    return nullptr;
  }
  const std::optional<InputNode> node = find_entry(entry.node, "type");
  if (!node) {
    entry.node.error("a force needs the key 'type'");
    return nullptr;
  }
  const std::string name = node->word("the type of a force");
  if (name.empty()) return nullptr;
  if (const ForceType* type = find_force_type(name)) return type;
  std::vector<std::string> names;
  for (const ForceType& type : force_types()) names.emplace_back(type.name);
  node->error(fmt::format("unknown force type '{}'{}", name, suggestion(name, names)));
  return nullptr;
}

}  // namespace

void load_forces(Loader& loader, const InputNode& node) {
  for (const NamedNode& entry : named_nodes(node, "a map of forces")) {
    const ForceType* type = load_type(entry);
    if (type == nullptr) continue;
    const auto& readers = force_readers();
    const auto reader = std::find_if(readers.begin(), readers.end(),
                                     [&](const ForceReader& known) { return known.name == type->name; });
    std::vector<std::string> keys = reader != readers.end() ? reader->keys : custom_keys(*type);
    keys.insert(keys.begin(), "type");
    const std::size_t index = loader.model.forces.size();
    loader.model.forces.push_back({entry.name, AppliedForce{}});
    const Fields fields(entry.node, fmt::format("a force of type {}", type->name), keys);
    if (reader != readers.end()) {
      reader->read(loader, fields, index);
    } else {
      load_custom(loader, fields, index, *type);
    }
  }
}

}  // namespace bricard

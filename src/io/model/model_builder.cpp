// A model made in code is the tree of a model file that was never written, read by the loader.
#include "bricard/model_builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/model/loader.h"
#include "model/method_options.h"

namespace bricard {
namespace {

using Kind = YamlNode::Kind;

YamlNode node_of(Kind kind) {
  YamlNode node;
  node.kind = kind;
  node.line = node.column = 0;  // it is in no file
  return node;
}

YamlNode text_node(const std::string& text) {
  YamlNode node = node_of(Kind::scalar);
  node.text = text;
  return node;
}

YamlNode list_node(std::vector<YamlNode> items) {
  YamlNode node = node_of(Kind::list);
  node.items = std::move(items);
  return node;
}

YamlNode value_node(const ModelValue& value, bool planar) {
  if (value.kind() == ModelValue::Kind::nothing) return node_of(Kind::null);
  if (value.kind() == ModelValue::Kind::text) return text_node(value.text());
  std::vector<YamlNode> items;
  for (const ModelValue& item : value.items()) items.push_back(value_node(item, planar));
  const bool flat = planar && value.kind() == ModelValue::Kind::vector && value.items().back().text() == "0";
  if (flat) items.pop_back();
  return list_node(std::move(items));
}

// Of options of a method that are set.
ModelValue value_of(const std::string& name) { return name; }
ModelValue value_of(double number) { return number; }
ModelValue value_of(const std::optional<bool>& flag) { return *flag; }

YamlNode* find(YamlNode& map, const std::string& key) {
  const auto found = std::find_if(map.keys.begin(), map.keys.end(), [&](const YamlKey& k) { return k.text == key; });
  return found == map.keys.end() ? nullptr : &map.items[static_cast<std::size_t>(found - map.keys.begin())];
}

YamlNode& append(YamlNode& map, const std::string& key, YamlNode value) {
  map.keys.push_back({key, 0, 0});
  map.items.push_back(std::move(value));
  return map.items.back();
}

/// A map of what is given.
class Given {
 public:
  explicit Given(bool planar) : planar_(planar) {}
  Given& put(const std::string& key, const ModelValue& value) {
    if (value.kind() != ModelValue::Kind::nothing) append(node_, key, value_node(value, planar_));
    return *this;
  }
  Given& put(const std::string& key, const BodyName& body) {
    if (!body.text().empty()) append(node_, key, text_node(body.text()));
    return *this;
  }
  Given& put(const std::string& key, const std::optional<Quaternion>& q) {
    if (!q) return *this;
    Given parts(planar_);
    parts.put("quaternion", ModelValue{q->w(), q->x(), q->y(), q->z()});
    return put(key, parts);
  }
  Given& put(const std::string& key, const Given& map) {
    if (!map.node_.keys.empty()) append(node_, key, map.node_);
    return *this;
  }
  Given& put(const std::string& key, YamlNode node) {
    append(node_, key, std::move(node));
    return *this;
  }
  const YamlNode& node() const { return node_; }

 private:
  bool planar_;
  YamlNode node_ = node_of(Kind::map);
};

}  // namespace

// --- values ---

ModelValue ModelValue::of(bool value) { return value ? "true" : "false"; }

ModelValue ModelValue::of(double value) {
  return fmt::format("{}", value + 0.0);
}  // as many digits as tell it from others

BodyName::BodyName(decltype(ground) body) : name_(body == ground ? "ground" : fmt::format("{}", body)) {}

BodyOptions rod(const ModelValue& from, const ModelValue& to, const ModelValue& mass, const ModelValue& radius) {
  return {.mass = mass, .rod = {from, to}, .radius = radius};
}

// --- the builder ---

struct ModelBuilder::Content {
  bool planar;
  std::string name;
  YamlNode root = node_of(Kind::map);
  std::vector<Diagnostic> problems = {};                // which the tree cannot hold
  std::map<std::string, ForceFunction> functions = {};  // nor these: the tree has a force of zero in their places

  Given given() const { return Given(planar); }
  YamlNode& section(YamlNode& map, const std::string& key) {
    YamlNode* found = find(map, key);
    return found ? *found : append(map, key, node_of(Kind::map));
  }
  void add(const std::string& section_name, const std::string& entry, YamlNode node) {
    add(section(root, section_name), section_name, entry, std::move(node));
  }
  void add(YamlNode& map, const std::string& path, const std::string& entry, YamlNode node) {
    if (find(map, entry)) {
      problems.push_back({"", 0, 0, path + "." + entry, fmt::format("the name '{}' is given twice", entry)});
    } else {
      append(map, entry, std::move(node));
    }
  }
  void add_force(const std::string& type, const std::string& entry, const Given& options) {
    Given force = given();
    force.put("type", ModelValue(type));
    for (std::size_t k = 0; k < options.node().keys.size(); ++k)
      force.put(options.node().keys[k].text, options.node().items[k]);
    add("forces", entry, force.node());
  }
  YamlNode pair(const BodyName& i, const BodyName& j) const {
    return list_node({text_node(i.text()), text_node(j.text())});
  }
  YamlNode end(const EndOptions& options) const {
    return list_node({text_node(options.body.text()), value_node(options.place, planar)});
  }

  void add_initial(const std::string& kind, const std::string& entry, const ModelValue& value,
                   const std::string& coordinate) {
    YamlNode& values = section(section(root, "initial"), kind);
    const std::string path = "initial." + kind;
    if (coordinate.empty()) return add(values, path, entry, value_node(value, planar));
    add(section(values, entry), path + "." + entry, coordinate, value_node(value, planar));
  }

  Given joint(const std::string& type, const JointOptions& o) const {
    Given surface = given(), dahl = given(), friction = given(), joint = given();
    surface.put("at", o.surface.at).put(planar ? "direction" : "normal", o.surface.direction);
    const DahlOptions& d = o.friction.dahl;
    dahl.put("stiffness", d.stiffness).put("limit", d.limit).put("coulomb", d.coulomb).put("radius", d.radius);
    const FrictionOptions& f = o.friction;
    friction.put("coulomb", f.coulomb).put("static", f.at_rest).put("stribeck", f.stribeck).put("radius", f.radius);
    friction.put("smoothing", f.smoothing).put("viscous", f.viscous).put("dahl", dahl);
    joint.put("type", ModelValue(type)).put("at", o.at).put("axis", o.axis).put("axes", o.axes).put("pitch", o.pitch);
    joint.put("ratio", o.ratio).put("length", o.length).put("radius", o.radius).put("teeth", o.teeth);
    joint.put("internal", o.internal).put("carrier", o.carrier).put("joints", o.joints);
    joint.put(planar ? "line" : "plane", surface).put("expression", o.expression).put("cut", o.cut);
    return joint.put("friction", friction);
  }
};

ModelBuilder::ModelBuilder(Dimension dimension, const std::string& name)
    : content_(new Content{.planar = dimension == Dimension::planar, .name = name}) {
  append(content_->root, "dimension", text_node(content_->planar ? "planar" : "spatial"));
  if (!name.empty()) append(content_->root, "name", text_node(name));
}

ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;
ModelBuilder::~ModelBuilder() = default;

void ModelBuilder::description(const std::string& text) {
  content_->add(content_->root, "", "description", text_node(text));
}

void ModelBuilder::gravity(const ModelValue& vector) {
  content_->add(content_->root, "", "gravity", value_node(vector, content_->planar));
}

void ModelBuilder::parameter(const std::string& name, const ModelValue& value) {
  content_->add("parameters", name, value_node(value, content_->planar));
}

void ModelBuilder::point(const std::string& name, const ModelValue& place) {
  content_->add("points", name, value_node(place, content_->planar));
}

BodyName ModelBuilder::body(const std::string& name, const BodyOptions& o) {
  Given shape = content_->given(), dimensions = content_->given(), body = content_->given();
  dimensions.put("size", o.shape.size).put("length", o.shape.length).put("radius", o.shape.radius);
  dimensions.put("thickness", o.shape.thickness).put("axis", o.shape.axis);
  if (!o.shape.kind.empty()) shape.put(o.shape.kind, dimensions.node());
  body.put("mass", o.mass).put("density", o.density).put("inertia", o.inertia).put("center", o.center);
  body.put("angle", o.angle).put("orientation", o.orientation).put("rod", o.rod).put("radius", o.radius);
  body.put("shape", shape);
  std::vector<YamlNode> solids;
  for (const SolidOptions& s : o.geometry) {
    Given solid = content_->given(), parts = content_->given();
    parts.put("center", s.center).put("size", s.size).put("from", s.from).put("to", s.to).put("radius", s.radius);
    parts.put("file", s.file).put("scale", s.scale);
    if (s.points.kind() == ModelValue::Kind::nothing) {
      solid.put(s.kind, parts.node());
    } else {
      solid.put(s.kind, s.points);
    }
    solids.push_back(solid.node());
  }
  if (!solids.empty()) body.put("geometry", list_node(std::move(solids)));
  content_->add("bodies", name, body.node());
  return name;
}

void ModelBuilder::joint(const std::string& name, const std::string& type, const BodyName& i, const BodyName& j,
                         const JointOptions& options) {
  content_->add("joints", name, content_->joint(type, options).put("bodies", content_->pair(i, j)).node());
}

void ModelBuilder::joint(const std::string& name, const std::string& type, const JointOptions& options) {
  content_->add("joints", name, content_->joint(type, options).node());
}

void ModelBuilder::motion(const std::string& name, const MotionOptions& o) {
  Given motion = content_->given();
  motion.put("joint", o.joint).put("coordinate", o.coordinate).put("body", o.body).put("at", o.at);
  content_->add("motions", name, motion.put("direction", o.direction).put("position", o.position).node());
}

void ModelBuilder::force(const std::string& name, const ForceOptions& o) {
  Given force = content_->given();
  force.put("body", o.body).put("at", o.at).put("vector", o.vector).put("frame", o.frame);
  content_->add_force("force", name, force);
}

void ModelBuilder::force(const std::string& name, const BodyName& body, ForceFunction function, const ModelValue& at) {
  if (!function) content_->problems.push_back({"", 0, 0, "forces." + name, "the function of this force is empty"});
  force(name, {.body = body, .at = at, .vector = Vec3(Vec3::Zero())});
  content_->functions[name] = std::move(function);
}

void ModelBuilder::force(const std::string& name, const std::string& type, const CustomForceOptions& o) {
  Given force = content_->given();
  force.put("body", o.body).put("at", o.at).put("joint", o.joint).put("coordinate", o.coordinate);
  if (!o.from.body.text().empty() || !o.to.body.text().empty())
    force.put("between", list_node({content_->end(o.from), content_->end(o.to)}));
  if (!o.i.text().empty() || !o.j.text().empty()) force.put("bodies", content_->pair(o.i, o.j));
  for (const auto& [key, value] : o.values) force.put(key, value);
  content_->add_force(type, name, force);
}

void ModelBuilder::torque(const std::string& name, const TorqueOptions& o) {
  content_->add_force("torque", name,
                      content_->given().put("body", o.body).put("value", o.value).put("frame", o.frame));
}

void ModelBuilder::spring(const std::string& name, const SpringOptions& o) {
  Given spring = content_->given();
  spring.put("between", list_node({content_->end(o.from), content_->end(o.to)})).put("stiffness", o.stiffness);
  spring.put("damping", o.damping).put("free_length", o.free_length).put("law", o.law);
  content_->add_force("spring", name, spring);
}

void ModelBuilder::rotational_spring(const std::string& name, const RotationalSpringOptions& o) {
  Given spring = content_->given();
  spring.put("joint", o.joint).put("coordinate", o.coordinate).put("stiffness", o.stiffness);
  spring.put("damping", o.damping).put("free_angle", o.free_angle).put("law", o.law);
  content_->add_force("rotational_spring", name, spring);
}

void ModelBuilder::actuator(const std::string& name, const ActuatorOptions& o) {
  content_->add_force("actuator", name,
                      content_->given().put("joint", o.joint).put("coordinate", o.coordinate).put("value", o.value));
}

void ModelBuilder::bushing(const std::string& name, const BodyName& i, const BodyName& j, const BushingOptions& o) {
  Given bushing = content_->given();
  bushing.put("bodies", content_->pair(i, j)).put("at", o.at).put("stiffness", o.stiffness).put("damping", o.damping);
  content_->add_force("bushing", name, bushing);
}

void ModelBuilder::rotor(const std::string& name, const RotorOptions& o) {
  Given rotor = content_->given();
  rotor.put("body", o.body).put("axis", o.axis).put("inertia", o.inertia).put("speed", o.speed);
  content_->add_force("rotor", name, rotor);
}

void ModelBuilder::initial_position(const std::string& joint, const ModelValue& value, const std::string& coordinate) {
  content_->add_initial("positions", joint, value, coordinate);
}

void ModelBuilder::initial_rate(const std::string& joint, const ModelValue& value, const std::string& coordinate) {
  content_->add_initial("velocities", joint, value, coordinate);
}

void ModelBuilder::initial_placement(const BodyName& body, const PlacementOptions& o) {
  YamlNode& positions = content_->section(content_->section(content_->root, "initial"), "positions");
  Given placement = content_->given();
  placement.put("center", o.center).put("angle", o.angle).put("orientation", o.orientation);
  content_->add(positions, "initial.positions", body.text(), placement.node());
}

void ModelBuilder::initial_velocity(const BodyName& body, const VelocityOptions& o) {
  YamlNode& velocities = content_->section(content_->section(content_->root, "initial"), "velocities");
  content_->add(velocities, "initial.velocities", body.text(),
                content_->given().put("linear", o.linear).put("angular", o.angular).node());
}

void ModelBuilder::output(const std::string& name, const ModelValue& value) {
  content_->add("outputs", name, value_node(value, content_->planar));
}

void ModelBuilder::simulation(const Method& method) {
  Given given = content_->given();
  for (const MethodOption& option : method_options()) {
    std::visit(
        [&](auto member) {
          if (is_set(method.*member)) given.put(option.key, value_of(method.*member));
        },
        option.member);
  }
  content_->add(content_->root, "", "simulation", given.node());
}

std::shared_ptr<const Model> ModelBuilder::build() const {
  Problems problems("");
  problems.found() = content_->problems;
  auto model = std::make_shared<Model>();
  load_model(*model, InputNode(content_->root, "", problems), {}, problems);
  problems.throw_if_any();
  for (Force& force : model->forces) {
    const auto given = content_->functions.find(force.name);
    if (given == content_->functions.end()) continue;
    const Attachment at = std::get<AppliedForce>(force.law).at;
    force.law = FunctionForce{at, given->second};
  }
  return model;
}

}  // namespace bricard

// joints: each type says in its JointType which keys it needs.
#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "coordinates/tree_joints.h"
#include "io/model/loader.h"
#include "joints/fundamental_circuits.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

// A universal joint's axes are perpendicular in every position; hand-written axes are so up to rounding.
constexpr double axes_tolerance = 1e-3;

struct JointKey {
  std::string name;  // as in JointType::keys
  bool required = true;
};

// The keys of a type that exist in the model's dimension: "length?" is optional, "axis@spatial" of spatial models only.
std::vector<JointKey> joint_keys(const JointType& type, bool planar) {
  std::vector<JointKey> result;
  for (std::string name : type.keys) {
    JointKey key;
    const std::size_t at = name.find('@');
    if (at != std::string::npos) {
      const bool of_planar = name.find("planar", at) != std::string::npos;
      if (name.ends_with('?')) key.required = false;
      name.erase(at);
      if (of_planar != planar) continue;
    }
    if (name.ends_with('?')) {
      key.required = false;
      name.pop_back();
    }
    key.name = name;
    result.push_back(key);
  }
  return result;
}

bool has_key(const std::vector<JointKey>& keys, const std::string& name) {
  return std::any_of(keys.begin(), keys.end(), [&](const JointKey& key) { return key.name == name; });
}

// What the user writes for a key of JointType.
std::string written_key(const std::string& name, bool planar) {
  if (name == "at2") return "at";
  if (name == "gears") return "bodies";
  if (name == "surface") return planar ? "line" : "plane";
  return name;
}

class JointReader {
 public:
  JointReader(Loader& loader, const NamedNode& entry, int index)
      : loader_(loader),
        joint_(loader.model.joints[index]),
        index_(index),
        node_(entry.node),
        type_(find_joint_type(joint_.type)) {}

  void read() {
    const std::vector<JointKey> keys = joint_keys(*type_, loader_.planar());
    const bool with_bodies = !has_key(keys, "no-bodies");
    std::vector<std::string> written{"type"};
    if (with_bodies) written.push_back("bodies");
    for (const JointKey& key : keys) {
      if (key.name != "no-bodies") written.push_back(written_key(key.name, loader_.planar()));
    }
    // Where it does not belong it has a message of its own.
    if (!loader_.coordinate_names(index_).empty() || find_entry(node_, "friction")) written.push_back("friction");
    if (tree_links(loader_.model, joint_, false)) written.push_back("cut");
    const Fields fields(
        node_, fmt::format("a {} joint of type {}", loader_.planar() ? "planar" : "spatial", joint_.type), written);
    if (with_bodies) read_bodies(fields);
    for (const JointKey& key : keys) {
      if (key.name == "no-bodies") continue;
      const std::string name = written_key(key.name, loader_.planar());
      const std::optional<InputNode> node = key.required ? fields.require(name) : fields.find(name);
      if (node) read_key(key.name, *node);
    }
    read_defaults(keys, fields);
    check(fields);
    if (const std::optional<InputNode> cut = fields.find("cut")) joint_.cut = cut->flag();
    if (const std::optional<InputNode> friction = fields.find("friction")) {
      joint_.friction = load_friction(loader_, *friction, index_);
    }
  }

 private:
  void read_bodies(const Fields& fields) {
    const std::optional<InputNode> node = fields.require("bodies");
    if (!node) return;
    const std::optional<std::pair<int, int>> pair = loader_.body_pair(*node);
    if (!pair) return;
    joint_.i = pair->first;
    joint_.j = pair->second;
  }

  // The body to which the joint's place belongs.
  int owner() const { return joint_.j != ground ? joint_.j : joint_.i; }

  void read_key(const std::string& key, const InputNode& node) {
    if (key == "at") {
      joint_.at_i = joint_.at_j = loader_.place(node, owner());
    } else if (key == "at2") {
      const std::vector<InputNode> places = node.items(2, "a list of 2 places, one on each body");
      joint_.at_i = places.empty() ? unknown_vector : loader_.place(places[0], joint_.i);
      joint_.at_j = places.empty() ? unknown_vector : loader_.place(places[1], joint_.j);
    } else if (key == "axis") {
      joint_.axis_i = joint_.axis_j = loader_.direction(node);
    } else if (key == "axes") {
      const std::vector<InputNode> axes = node.items(2, "a list of 2 axes, one on each body");
      joint_.axis_i = axes.empty() ? unknown_vector : loader_.direction(axes[0]);
      joint_.axis_j = axes.empty() ? unknown_vector : loader_.direction(axes[1]);
    } else if (key == "pitch") {
      joint_.pitch = loader_.number(node);
    } else if (key == "ratio") {
      joint_.ratio = loader_.number(node);
      if (joint_.ratio == 0) node.error("the ratio must not be zero");
    } else if (key == "gears") {
      if (const std::optional<std::pair<int, int>> pair = loader_.body_pair(node)) std::tie(joint_.i, joint_.j) = *pair;
    } else if (key == "teeth") {
      read_teeth(node);
    } else if (key == "internal") {
      if (node.flag()) joint_.ratio = -joint_.ratio;
    } else if (key == "carrier") {
      if (const std::optional<int> carrier = loader_.body(node)) joint_.carrier = *carrier;
    } else if (key == "length") {
      joint_.length = loader_.positive(node);
    } else if (key == "radius") {
      joint_.radius = loader_.positive(node);
    } else if (key == "joints") {
      read_coupled_joints(node);
    } else if (key == "surface") {
      read_surface(node);
    } else if (key == "expression") {
      read_expressions(node);
    }
  }

  void read_coupled_joints(const InputNode& node) {
    const std::vector<InputNode> items = node.items(2, "a list of 2 joints");
    if (items.empty()) return;
    const std::optional<int> a = loader_.joint(items[0]), b = loader_.joint(items[1]);
    // Whether they have a coordinate to couple:
    if (a) loader_.coordinate(*a, items[0], std::nullopt, false);
    if (b) loader_.coordinate(*b, items[1], std::nullopt, false);
    if (a && b && *a == *b) node.error(fmt::format("couples joint '{}' to itself", items[0].text()));
    joint_.joint_a = a.value_or(-1);
    joint_.joint_b = b.value_or(-1);
  }

  void read_teeth(const InputNode& node) {
    const std::vector<InputNode> items = node.items(2, "a list of 2 numbers of teeth");
    if (items.empty()) return;
    const double of_i = loader_.positive(items[0]), of_j = loader_.positive(items[1]);
    joint_.ratio = -of_j / of_i;  // external; a ring turns the same way as the gear in it
    joint_.from_teeth = true;
  }

  void read_surface(const InputNode& node) {
    const std::string direction_key = loader_.planar() ? "direction" : "normal";
    const Fields fields(node, loader_.planar() ? "a line" : "a plane", {"at", direction_key});
    const std::optional<InputNode> at = fields.require("at"), direction = fields.require(direction_key);
    joint_.surface_at = at ? loader_.place(*at, joint_.i) : unknown_vector;
    joint_.surface_direction = direction ? loader_.direction(*direction) : unknown_vector;
  }

  void read_expressions(const InputNode& node) {
    std::vector<InputNode> items{node};
    if (node.is_list()) items = node.items("a list of expressions");
    if (items.empty()) node.expected("an expression or a list of expressions");
    joint_.expressions.resize(items.size());
    for (std::size_t k = 0; k < items.size(); ++k) {
      loader_.signal_law(items[k], {},
                         [&loader = loader_, item = items[k], index = index_, k](const Expression& expression) {
                           if (expression.signals().empty() && is_known(expression.value(0))) {
                             item.error("uses no quantity of a joint or body, so no motion can keep it at zero");
                           }
                           loader.model.joints[index].expressions[k] = expression;
                         });
    }
  }

  void read_defaults(const std::vector<JointKey>& keys, const Fields& fields) {
    if (has_key(keys, "no-bodies")) return;
    const bool has_place = fields.has("at");
    if (!has_place && !has_key(keys, "at2")) {
      // Rolling discs, and types that only orient: the joint's place is a centre of mass.
      const int body = owner();
      if (body != ground) joint_.at_i = joint_.at_j = loader_.model.bodies[body].center;
    }
    if (has_key(keys, "length") && has_place && !fields.has("length")) {
      joint_.length = (joint_.at_j - joint_.at_i).stableNorm();
      if (joint_.length == 0)
        fields.node().error("the two places coincide, so their distance cannot be kept; give a length");
    }
  }

  void check(const Fields& fields) const {
    if (joint_.type == "universal" && fields.has("axes") &&
        std::abs(joint_.axis_i.dot(joint_.axis_j)) > axes_tolerance) {
      fields.find("axes")->error("the two axes of a universal joint must be perpendicular");
    }
    if (joint_.type == "gear_pair") {
      if (!fields.has("teeth") && !fields.has("ratio")) fields.node().error("needs the key 'teeth' or 'ratio'");
      if (fields.has("teeth")) fields.refuse("ratio", "follows from the teeth; give only one of them");
      if (!fields.has("teeth") && fields.has("ratio")) fields.refuse("internal", "a ratio has its own sign");
    }
    if (joint_.type != "rolling") return;
    const std::optional<InputNode> surface = fields.find(written_key("surface", loader_.planar()));
    if (!surface || !fields.has("bodies") || (joint_.i == ground && joint_.j == ground)) return;
    if (joint_.j == ground && !fields.has("at")) {
      fields.node().error("the disc is of the second body; the ground has no centre of mass, so give 'at'");
      return;
    }
    const Vec3& direction = joint_.surface_direction;
    const Vec3 normal = loader_.planar() ? Vec3(Vec3::UnitZ().cross(direction)) : direction;
    if (normal.dot(joint_.at_j - joint_.surface_at) == 0) {
      surface->error("the centre of the disc must not lie on what it rolls on");
    }
    if (!loader_.planar() && joint_.axis_j.cross(normal).norm() < 1e-9) {
      fields.node().error("the disc lies flat on the plane, so it has no point of contact");
    }
  }

  Loader& loader_;
  Joint& joint_;
  int index_;
  InputNode node_;
  const JointType* type_;
};

// The joint's type, "" after noting a problem.
std::string load_type(const Loader& loader, const NamedNode& entry) {
  if (!entry.node.is_map()) {
    entry.node.expected("a map with the keys of a joint (type, bodies, ...)");
    return "";
  }
  std::vector<std::string> names;
  for (const JointType& type : joint_types()) {
    if ((loader.planar() ? type.planar_rows : type.spatial_rows) >= 0) names.push_back(type.name);
  }
  const std::optional<InputNode> node = find_entry(entry.node, "type");
  if (!node) {
    entry.node.error("a joint needs the key 'type'");
    return "";
  }
  std::string name = node->word("the type of a joint");
  if (name.empty()) return "";
  const JointType* type = find_joint_type(name);
  if (type == nullptr) {
    const std::string nearest = nearest_name(name, names);
    node->error(fmt::format("unknown joint type '{}'{}", name,
                            nearest.empty() ? fmt::format("; valid: {}", fmt::join(names, ", "))
                                            : fmt::format("; did you mean '{}'?", nearest)));
    return "";
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    node->error(fmt::format("joint type {} does not exist in {} models; valid: {}", name,
                            loader.planar() ? "planar" : "spatial", fmt::join(names, ", ")));
    return "";
  }
  return name;
}

// What carries a pair of gears follows from the joints of the whole model.
void find_carriers(const Loader& loader, const std::vector<NamedNode>& entries) {
  std::optional<TurningPairs> pairs;  // for models with gears alone
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (loader.model.joints[k].type != "gear_pair") continue;
    if (!pairs) pairs.emplace(loader.model);
    const std::string problem = pairs->circuit(static_cast<int>(k)).problem;
    if (!problem.empty()) find_entry(entries[k].node, "carrier").value_or(entries[k].node).error(problem);
  }
}

}  // namespace

void load_joints(Loader& loader, const InputNode& node) {
  const std::vector<NamedNode> entries = named_nodes(node, "a map of joints");
  // All types first: a gear may couple joints that come after it.
  for (const NamedNode& entry : entries) {
    Joint joint;
    joint.name = entry.name;
    joint.type = load_type(loader, entry);
    loader.add_joint(entry.name);
    loader.model.joints.push_back(std::move(joint));
  }
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const int index = static_cast<int>(k);
    if (loader.joint_type(index) == nullptr) continue;
    JointReader(loader, entries[k], index).read();
    if (loader.planar() && loader.find_body(entries[k].name) && loader.find_coordinate(index, "angle")) {
      entries[k].name_error(
          fmt::format("a body has the name '{0}' too, and both would have the column '{0}.angle'", entries[k].name));
    }
  }
  if (!loader.has_problems()) find_carriers(loader, entries);
}

}  // namespace bricard

// What the parts of the loader share: the model in the making, the names known so far, and how numbers, vectors, places
// and formulas are read. A number that could not be read is NaN: its problem is noted, and later checks pass over it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bricard/load.h"
#include "bricard/model.h"
#include "io/model/yaml_reader.h"
#include "model/joint_type.h"

namespace bricard {

class Loader {
 public:
  Loader(Model& target, Problems& problems) : model(target), problems_(problems) {}

  Model& model;

  // Numbers: constant formulas of the parameters.
  double number(const InputNode& node);
  double positive(const InputNode& node);
  double not_negative(const InputNode& node);
  std::vector<double> numbers(const InputNode& node, std::size_t count, const std::string& what);
  /// 2 numbers in a planar model, 3 in a spatial one.
  Vec3 vector(const InputNode& node);
  /// The same, normalised; a vector without direction is a problem.
  Vec3 direction(const InputNode& node);

  // Formulas. Those of signals are parsed by finish(), when every joint, body and point is known.
  Expression time_law(const InputNode& node);
  using UseExpression = std::function<void(const Expression& expression)>;
  void signal_law(const InputNode& node, const std::vector<std::string>& variables, const UseExpression& use);
  void finish();
  /// Value of a text that is no node: `--set`. Throws std::runtime_error.
  double evaluate(const std::string& text);

  // Names. An unknown one is noted with the nearest known one.
  void add_parameter(const std::string& name, double value);
  /// Its value is not known; whatever uses it is not to be complained about.
  void add_broken_parameter(const std::string& name);
  bool has_parameter(const std::string& name) const { return parameters_.contains(name) || broken_.contains(name); }
  void add_point(const std::string& name, const Vec3& place);
  void add_body(const std::string& name);                       // numbered in order
  void add_joint(const std::string& name);                      // numbered in order
  std::optional<int> body(const InputNode& node) const;         // may be the ground
  std::optional<int> moving_body(const InputNode& node) const;  // must not be the ground
  std::optional<int> joint(const InputNode& node) const;
  std::optional<int> find_body(const std::string& name) const;
  std::optional<int> find_joint(const std::string& name) const;
  /// "unknown body 'x'", with the nearest of `count` known names as long as there are not too many such messages.
  std::string unknown(const std::string& kind, const std::string& name, std::size_t count,
                      const std::function<std::vector<std::string>()>& known) const;
  std::vector<std::string> body_names() const;  // with the ground
  std::vector<std::string> joint_names() const;
  /// `bodies: [i, j]`, two different ones.
  std::optional<std::pair<int, int>> body_pair(const InputNode& node) const;

  // Places: a point's name or coordinates. A point belongs to the first body that uses it.
  Vec3 place(const InputNode& node, int user = ground);

  // Joint coordinates by name; none for a joint whose type is not known.
  const JointType* joint_type(int joint) const { return find_joint_type(model.joints[joint].type); }
  std::vector<std::string> coordinate_names(int joint) const;
  /// Number of the coordinate that `key` names, else the first one (the first angle, if `rather_angle`); notes a
  /// problem at `joint_node` if the joint has no coordinate.
  std::optional<int> coordinate(int joint, const InputNode& joint_node, const std::optional<InputNode>& key,
                                bool rather_angle) const;
  /// Number of the coordinate of that name.
  std::optional<int> find_coordinate(int joint, const std::string& name) const;

  bool planar() const { return model.planar(); }
  bool has_problems() const { return problems_.any(); }
  std::size_t vector_size() const { return planar() ? 2 : 3; }

 private:
  Expression parse(const InputNode& node, bool time, bool signals, const std::vector<std::string>& variables);
  ExpressionScope scope();
  Expression parse_text(const std::string& text, ExpressionScope& scope);
  Signal resolve(Quantity quantity, const std::vector<std::string>& arguments) const;
  Signal resolve_joint(Quantity quantity, const std::string& name) const;
  Attachment resolve_place(const std::string& name) const;
  void claim(const std::string& point, int user);

  Problems& problems_;
  std::map<std::string, double> parameters_;
  std::set<std::string> broken_;
  bool used_broken_ = false;  // by the formula read last
  std::map<std::string, Vec3> points_;
  std::map<std::string, int> point_owners_;
  std::map<std::string, int> bodies_, joints_;
  std::vector<std::function<void()>> deferred_;
};

/// The whole, from the tree of a model file whose version is known. Every problem is noted, none is thrown.
void load_model(Model& model, const InputNode& root, const LoadOptions& options, Problems& problems);

// The parts, in the order in which they are read.
void load_parameters(Loader& loader, const std::optional<InputNode>& node, const LoadOptions& options,
                     Problems& problems);
void load_points(Loader& loader, const InputNode& node);
void load_bodies(Loader& loader, const InputNode& node);
void load_joints(Loader& loader, const InputNode& node);
void load_motions(Loader& loader, const InputNode& node);
void load_forces(Loader& loader, const InputNode& node);
void load_initial(Loader& loader, const InputNode& node);
void load_simulation(Loader& loader, const InputNode& node);
void load_outputs(Loader& loader, const InputNode& node);

// Shared by bodies and initial placements: `orientation: {euler_zxz: [..]}` and its other forms.
Quaternion load_orientation(Loader& loader, const InputNode& node);
// `shape:`, `rod:` and `geometry:` of a body whose frame is known.
struct Shape {
  Mat3 unit_inertia = Mat3::Zero();  // for mass 1, body axes
  double content = 0;                // volume, area or length: what the density is multiplied by
  Geometry geometry;
};
Shape rod_shape(const Vec3& axis, double length, double radius);  // `axis`: unit vector in the body frame
Shape load_shape(Loader& loader, const InputNode& node, const Body& body);
std::vector<Geometry> load_geometry(Loader& loader, const InputNode& node, const Body& body);
// `friction:` of a joint.
Friction load_friction(Loader& loader, const InputNode& node, int joint);

/// What could not be read.
inline const Vec3 unknown_vector = Vec3::Constant(unset);
/// For checks: NaN, whose problem has been noted, is no violation.
inline bool is_known(double value) { return value == value; }

}  // namespace bricard

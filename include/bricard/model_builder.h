// A model made in code. What a model file can say can be said here, by the same names, and is checked by the same code:
// build() throws InputError with everything that is wrong.
//   ModelBuilder m(Dimension::planar);
//   const BodyName crank = m.body("crank", rod({0, 0}, {0.1, 0}, 0.5));
//   m.joint("A", "revolute", ground, crank, {.at = {0, 0}});
//   m.initial_rate("A", 10);
//   const SimulationResult result = simulate(m.build(), {.duration = 1});
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "bricard/model.h"

namespace bricard {

/// A number, a formula ("2*L", "3*sin(t)", "-20*angle(A)"), the name of a point, or a list of such: {0.1, 0}. By
/// default nothing, which means that it is not given.
class ModelValue {
 public:
  ModelValue() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> ModelValue(Number value) : ModelValue(of(value)) {}
  ModelValue(const char* text) : ModelValue(std::string(text)) {}
  ModelValue(std::string text) : kind_(Kind::text), text_(std::move(text)) {}
  ModelValue(std::initializer_list<ModelValue> items) : kind_(Kind::list), items_(items) {}
  ModelValue(const std::vector<ModelValue>& items) : kind_(Kind::list), items_(items) {}
  /// Of three components, in planar models x and y.
  template <class Vector>
  ModelValue(const Eigen::MatrixBase<Vector>& vector) : kind_(vector.size() == 3 ? Kind::vector : Kind::list) {
    for (const double component : vector.eval()) items_.push_back(component);
  }

  enum class Kind { nothing, text, list, vector };
  Kind kind() const { return kind_; }
  const std::string& text() const { return text_; }
  const std::vector<ModelValue>& items() const { return items_; }

 private:
  static ModelValue of(bool value);
  static ModelValue of(double value);
  template <class Number>
  static ModelValue of(Number value) {
    return of(static_cast<double>(value));
  }

  Kind kind_ = Kind::nothing;
  std::string text_;
  std::vector<ModelValue> items_;
};

/// A body by its name, or the ground.
class BodyName {
 public:
  BodyName() = default;
  BodyName(const char* name) : name_(name) {}
  BodyName(std::string name) : name_(std::move(name)) {}
  BodyName(decltype(ground));
  const std::string& text() const { return name_; }

 private:
  std::string name_;
};

/// `kind` and the dimensions that it has: rod (length, radius, axis), box (size), cylinder (radius, length, axis),
/// disc (radius, thickness, axis), sphere (radius).
struct ShapeOptions {
  std::string kind = {};
  ModelValue size = {}, length = {}, radius = {}, thickness = {}, axis = {};
};

/// For pictures: line and polygon (points), box (center, size), sphere (center, radius), cylinder (from, to, radius),
/// stl (file, scale).
struct SolidOptions {
  std::string kind = {};
  ModelValue points = {}, center = {}, size = {}, from = {}, to = {}, radius = {}, file = {}, scale = {};
};

/// Either a rod between two places, or a center with inertia or shape.
struct BodyOptions {
  ModelValue mass = {}, density = {};
  ModelValue inertia = {};  // planar: a number; spatial: xx yy zz or xx yy zz xy xz yz
  ModelValue center = {};
  ModelValue angle = {};                       // planar
  std::optional<Quaternion> orientation = {};  // spatial
  ModelValue rod = {}, radius = {};            // its two ends; the radius of a spatial rod
  ShapeOptions shape = {};
  std::vector<SolidOptions> geometry = {};
};
BodyOptions rod(const ModelValue& from, const ModelValue& to, const ModelValue& mass, const ModelValue& radius = {});

struct DahlOptions {
  ModelValue stiffness = {}, limit = {}, coulomb = {}, radius = {};
};
struct FrictionOptions {
  ModelValue coulomb = {}, at_rest = {}, stribeck = {}, radius = {}, smoothing = {}, viscous = {};
  DahlOptions dahl = {};
};

/// Plane (spatial, by its normal) or line (planar, by its direction) that a disc rolls on.
struct SurfaceOptions {
  ModelValue at = {}, direction = {};
};

/// What the type of the joint needs.
struct JointOptions {
  ModelValue at = {};  // `distance`: two places
  ModelValue axis = {}, axes = {};
  ModelValue pitch = {}, ratio = {}, length = {}, radius = {};
  ModelValue teeth = {}, internal = {};
  BodyName carrier = {};
  ModelValue joints = {};  // that a gear couples
  SurfaceOptions surface = {};
  ModelValue expression = {};  // or a list of them, kept at zero
  ModelValue cut = {};
  FrictionOptions friction = {};
};

/// Of a joint's coordinate, or of a body's place along a direction.
struct MotionOptions {
  ModelValue joint = {}, coordinate = {};
  BodyName body = {};
  ModelValue at = {}, direction = {};
  ModelValue position = {};  // of time
};

struct ForceOptions {
  BodyName body = {};
  ModelValue at = {};  // default: the centre of mass
  ModelValue vector = {};
  ModelValue frame = {};  // world, body
};
struct TorqueOptions {
  BodyName body = {};
  ModelValue value = {}, frame = {};
};
struct EndOptions {
  BodyName body = {};
  ModelValue place = {};
};
struct SpringOptions {
  EndOptions from = {}, to = {};
  ModelValue stiffness = {}, damping = {}, free_length = {}, law = {};
};
struct RotationalSpringOptions {
  ModelValue joint = {}, coordinate = {};
  ModelValue stiffness = {}, damping = {}, free_angle = {}, law = {};
};
struct ActuatorOptions {
  ModelValue joint = {}, coordinate = {}, value = {};
};
struct BushingOptions {
  ModelValue at = {}, stiffness = {}, damping = {};
};
struct RotorOptions {
  BodyName body = {};
  ModelValue axis = {}, inertia = {}, speed = {};
};

/// What the type acts on, and its keys with their values.
struct CustomForceOptions {
  BodyName body = {};
  ModelValue at = {};
  EndOptions from = {}, to = {};
  BodyName i = {}, j = {};
  ModelValue joint = {}, coordinate = {};
  std::map<std::string, ModelValue> values = {};
};

struct PlacementOptions {
  ModelValue center = {}, angle = {};
  std::optional<Quaternion> orientation = {};
};
struct VelocityOptions {
  ModelValue linear = {}, angular = {};
};

class ModelBuilder {
 public:
  explicit ModelBuilder(Dimension dimension, const std::string& name = {});
  ModelBuilder(ModelBuilder&&) noexcept;
  ModelBuilder& operator=(ModelBuilder&&) noexcept;
  ~ModelBuilder();

  void description(const std::string& text);
  /// Default: 9.81 m/s^2 against y in planar models, against z in spatial ones.
  void gravity(const ModelValue& vector);
  void parameter(const std::string& name, const ModelValue& value);
  void point(const std::string& name, const ModelValue& place);
  BodyName body(const std::string& name, const BodyOptions& options);

  /// Joins i and j; see joint_types in the documentation for what each type needs.
  void joint(const std::string& name, const std::string& type, const BodyName& i, const BodyName& j,
             const JointOptions& options = {});
  /// Of a type without bodies: gear, constraint.
  void joint(const std::string& name, const std::string& type, const JointOptions& options);
  void motion(const std::string& name, const MotionOptions& options);

  void force(const std::string& name, const ForceOptions& options);
  /// By a function of the program, at a place of the body (default: the centre of mass). A formula in ForceOptions can
  /// say less but tells its derivatives and where it switches, which implicit integrators and events make use of.
  void force(const std::string& name, const BodyName& body, ForceFunction function, const ModelValue& at = {});
  /// Of a type that the program has registered (extend.h).
  void force(const std::string& name, const std::string& type, const CustomForceOptions& options = {});
  void torque(const std::string& name, const TorqueOptions& options);
  void spring(const std::string& name, const SpringOptions& options);
  void rotational_spring(const std::string& name, const RotationalSpringOptions& options);
  void actuator(const std::string& name, const ActuatorOptions& options);
  void bushing(const std::string& name, const BodyName& i, const BodyName& j, const BushingOptions& options);
  void rotor(const std::string& name, const RotorOptions& options);

  /// Of a joint; of its first coordinate if none is named.
  void initial_position(const std::string& joint, const ModelValue& value, const std::string& coordinate = {});
  void initial_rate(const std::string& joint, const ModelValue& value, const std::string& coordinate = {});
  void initial_placement(const BodyName& body, const PlacementOptions& options);
  void initial_velocity(const BodyName& body, const VelocityOptions& options);

  void output(const std::string& name, const ModelValue& value);
  /// Defaults of runs.
  void simulation(const Method& method);

  /// Throws InputError with everything that is wrong, each with its place: "joints.A.axis".
  std::shared_ptr<const Model> build() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace bricard

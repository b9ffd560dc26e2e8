// The immutable description of a mechanism: what the model file says, with names resolved to indices, parameters and
// shapes to numbers, and every place and axis given in the world frame of the reference configuration.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bricard/body_state.h"
#include "bricard/expression.h"
#include "bricard/method.h"
#include "bricard/types.h"

namespace bricard {

enum class Dimension { planar, spatial };

/// A solid for pictures only, in the body's frame (an x-y polygon, a line, or a primitive with its own placement).
struct Geometry {
  std::string shape;         // box, cylinder, sphere, line, polygon, stl
  std::vector<Vec3> points;  // line, polygon: vertices; cylinder: the two ends; box, sphere: centre
  Vec3 size = Vec3::Zero();  // box: edges; cylinder and sphere: radius in x; stl: scale in x
  std::string file;          // stl
};

struct Body {
  std::string name;
  double mass = 0;
  Mat3 inertia = Mat3::Zero();                      // about the centre of mass, body axes; planar bodies use (2, 2)
  Vec3 center = Vec3::Zero();                       // centre of mass in the reference configuration
  double angle = 0;                                 // planar: angle of the body frame (not wrapped)
  Quaternion orientation = Quaternion::Identity();  // body axes to world axes; planar: rotation by `angle` about z
  std::vector<Geometry> geometry;
};

/// Stands for a body that is still to be found.
inline constexpr int any_body = -2;

/// A point of the reference configuration, thought fixed to a body.
struct Attachment {
  int body = ground;
  Vec3 place = Vec3::Zero();
};

struct Friction {
  enum class Law { none, viscous, coulomb, dahl };
  Law law = Law::none;
  double viscous = 0;       // N s/m or N m s/rad; may accompany coulomb
  double coulomb = 0;       // coefficient of friction
  double radius = 0;        // revolute: lever arm of the friction force
  double smoothing = 1e-3;  // rate at which Coulomb friction is almost fully there
  double at_rest = 0;       // coefficient of friction at rest; 0: the same
  double stribeck = 0;      // slip over which it falls to the coefficient of fast slip
  double stiffness = 0;     // dahl: of the bristles
  double limit = 0;         // dahl: largest force or torque; 0: coulomb * load * radius instead
};

struct Joint {
  std::string name;
  std::string type;
  int i = ground, j = ground;
  Vec3 at_i = Vec3::Zero(), at_j = Vec3::Zero();        // the same place, except for `distance`
  Vec3 axis_i = Vec3::UnitZ(), axis_j = Vec3::UnitZ();  // unit vectors; the same direction, except with `axes:`
  double pitch = 0;                                     // screw: m per turn
  double ratio = 1;                                     // gear, gear_pair
  double length = 0;                                    // distance
  double radius = 0;                                    // rolling
  Vec3 surface_at = Vec3::Zero();                       // rolling: a place on the plane or line fixed to i
  Vec3 surface_direction = Vec3::UnitZ();               // rolling: the plane's normal or the line's direction
  int joint_a = -1, joint_b = -1;                       // gear: indices of the coupled joints
  std::vector<Expression> expressions;                  // constraint: each is kept at zero
  bool cut = false;                                     // closes a loop in relative coordinates
  bool from_teeth = false;                              // gear_pair: the ratio follows from numbers of teeth
  int carrier = any_body;                               // gear_pair: what carries both gears' axes
  Friction friction;
};

/// A rheonomic constraint: a joint coordinate, or the place of a body's point along a direction, follows a law of time.
struct Motion {
  std::string name;
  int joint = -1;      // -1: moves a body's point
  int coordinate = 0;  // which coordinate of the joint
  Attachment point;    // of a body: its position along `direction`, measured from the reference
  Vec3 direction = Vec3::UnitX();
  Expression position;
};

struct AppliedForce {
  Attachment at;
  bool in_body_frame = false;  // follower force: components in body axes
  std::array<Expression, 3> vector;
};
struct AppliedTorque {
  int body = ground;
  bool in_body_frame = false;
  std::array<Expression, 3> vector;  // planar: only the third
};
struct Spring {
  Attachment from, to;
  double stiffness = 0, damping = 0, free_length = 0;
  std::optional<Expression>
      law;  // force as a function of variables x (extension) and v (its rate); positive pushes apart
};
struct RotationalSpring {
  int joint = -1, coordinate = 0;
  double stiffness = 0, damping = 0, free_angle = 0;
  std::optional<Expression> law;  // torque on j as a function of x (angle - free_angle) and v
};
struct Actuator {
  int joint = -1, coordinate = 0;
  Expression value;  // generalised force on the joint coordinate
};
struct Bushing {
  int i = ground, j = ground;
  Vec3 at = Vec3::Zero();
  std::array<double, 6> stiffness{},
      damping{};  // x y z, rotations about x y z; world axes of the reference, fixed to i
};
struct Rotor {
  int body = ground;          // whose mass and inertia include the rotor at rest
  Vec3 axis = Vec3::UnitZ();  // unit vector fixed to the body; planar: z
  double inertia = 0;         // about the axis
  Expression speed;           // of time: angular velocity relative to the body
};

/// A force of a type that the program has registered (extend.h), with what its type asks for.
struct CustomForce {
  std::string type;
  std::vector<Attachment> points;              // that it acts on: none, one or two
  int joint = -1, coordinate = 0;              // or on a joint's coordinate
  std::map<std::string, double> numbers;       // by their keys in the model file
  std::map<std::string, Expression> formulas;  // the same, of time and signals
};
/// A force as a function of the program, of the time and of the body it acts on: in world axes and SI units. Called for
/// every evaluation, by runs in several threads at once; the same arguments must give the same force.
using ForceFunction = std::function<Vec3(double t, const BodyState& body)>;
struct FunctionForce {
  Attachment at;
  ForceFunction function;
};

struct Force {
  std::string name;
  std::variant<AppliedForce, AppliedTorque, Spring, RotationalSpring, Actuator, Bushing, Rotor, CustomForce,
               FunctionForce>
      law;
};

/// One number of `initial:`: a joint coordinate or its rate.
struct InitialJointValue {
  int joint = -1, coordinate = 0;
  double value = 0;
};
/// `initial: positions: body: {center:, angle: | orientation:}`
struct InitialPlacement {
  int body = ground;
  std::optional<Vec3> center;
  std::optional<double> angle;            // planar
  std::optional<Quaternion> orientation;  // spatial
};
/// `initial: velocities: body: {linear:, angular:}`
struct InitialTwist {
  int body = ground;
  std::optional<Vec3> linear, angular;  // world axes; planar: angular is along z
};

struct Initial {
  std::vector<InitialJointValue> joint_positions, joint_rates;
  std::vector<InitialPlacement> placements;
  std::vector<InitialTwist> twists;
};

struct Model {
  std::string name, description, file;
  std::string text;  // the model file as read
  Dimension dimension = Dimension::spatial;
  Vec3 gravity = Vec3::Zero();
  std::vector<std::pair<std::string, double>> parameters;
  std::vector<std::pair<std::string, Vec3>> points;
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Motion> motions;
  std::vector<Force> forces;
  Initial initial;
  Method simulation;
  std::vector<std::pair<std::string, Expression>> outputs;
  std::vector<std::string> warnings;  // what is legal but hardly meant

  bool planar() const { return dimension == Dimension::planar; }
  /// Name of a body, with "ground" for the ground.
  const std::string& body_name(int body) const;
  /// A typical length: half the diagonal of the box around all places of the model, 1 if that is zero.
  double characteristic_length() const;
};

}  // namespace bricard

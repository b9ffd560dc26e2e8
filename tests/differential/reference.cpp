#include "reference.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "formula.h"
#include "taylor.h"

namespace bricard::differential {
namespace {

constexpr double rank_threshold = 1e-9;

/// Bodies at an instant, moving as the state says or one of them alone by a unit of one of its freedoms.
struct Path {
  const Model& model;
  const ReferenceState& state;
  const std::vector<Mat3>& turned;  // from the reference configuration
  bool whole = true;
  int body = ground;
  Vec3 unit_velocity = Vec3::Zero(), unit_spin = Vec3::Zero();

  Taylor time() const { return {state.t, whole ? 1.0 : 0.0, 0}; }
  Vec3 velocity(int b) const {
    if (b == ground) return Vec3::Zero();
    return whole ? state.velocity[b] : b == body ? unit_velocity : Vec3::Zero();
  }
  Vec3 spin(int b) const {
    if (b == ground) return Vec3::Zero();
    return whole ? state.spin[b] : b == body ? unit_spin : Vec3::Zero();
  }
  TaylorVector vector(int b, const Vec3& direction) const {
    if (b == ground) return fixed(direction);
    const Vec3 u = turned[b] * direction, w = spin(b), rate = w.cross(u);
    return {u, rate, w.cross(rate)};
  }
  TaylorVector point(int b, const Vec3& place) const {
    if (b == ground) return fixed(place);
    return TaylorVector{state.place[b], velocity(b), Vec3::Zero()} + vector(b, place - model.bodies[b].center);
  }
};

Vec3 across(const Vec3& axis) {
  const Vec3 other = std::abs(axis.x()) < 0.7 ? Vec3::UnitX() : Vec3::UnitY();
  return axis.cross(other).normalized();
}

Taylor turn_about(const Path& path, int i, int j, const Vec3& axis) {
  const Vec3 e1 = across(axis), e2 = axis.cross(e1);
  const TaylorVector u = path.vector(j, e1);
  return angle_of(dot(path.vector(i, e2), u), dot(path.vector(i, e1), u));
}

bool turns_first(const Joint& joint) { return joint.type == "revolute" || joint.type == "screw"; }

Taylor coordinate(const Path& path, const Joint& joint, int which) {
  const Vec3 axis = path.model.planar() && joint.type == "revolute" ? Vec3(Vec3::UnitZ()) : joint.axis_i;
  if (turns_first(joint) || (joint.type == "cylindrical" && which == 1))
    return turn_about(path, joint.i, joint.j, axis);
  if (joint.type == "prismatic" || joint.type == "cylindrical" || joint.type == "point_on_line")
    return dot(path.vector(joint.i, axis), path.point(joint.j, joint.at_j) - path.point(joint.i, joint.at_i));
  throw std::runtime_error("the reference knows no coordinate of a joint of type " + joint.type);
}

SignalValue signals_of(const Path& path, bool velocity_level) {
  return [&path, velocity_level](const std::string& name, const std::vector<std::string>& arguments) -> Taylor {
    const Model& model = path.model;
    if (arguments.empty()) throw std::runtime_error("the reference does not know " + name);
    if (name == "angle" || name == "position" || name == "rate") {
      for (const Joint& joint : model.joints) {
        if (joint.name != arguments[0]) continue;
        const Taylor c = coordinate(path, joint, 0);
        return name == "rate" ? Taylor{c.rate, c.second, 0} : c;
      }
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      if (model.bodies[b].name != arguments[0]) continue;
      const int body = static_cast<int>(b), axis = name.back() - 'x';
      if (name.size() == 1) return dot(fixed(Vec3::Unit(axis)), path.point(body, model.bodies[b].center));
      // Accelerations are not on the path: the rate of a velocity is what the rest of the row contributes.
      if (name[0] == 'v' && velocity_level) return {path.velocity(body)[axis], 0, 0};
      if (name[0] == 'w' && velocity_level) return {path.spin(body)[axis], 0, 0};
      if (name[0] == 'v') return {path.velocity(body)[axis], 0, 0};
      if (name[0] == 'w') return {path.spin(body)[axis], 0, 0};
    }
    throw std::runtime_error("the reference does not know " + name + "(" + arguments[0] + ")");
  };
}

Taylor evaluate(const Expression& expression, const Path& path, bool velocity_level = false) {
  if (expression.is_constant()) return constant(expression.value(0));
  return Formula(expression.text(), path.time(), signals_of(path, velocity_level)).value();
}

/// Velocity-level rows have their value as `rate`.
void add_joint_rows(const Path& path, const Joint& joint, std::vector<Taylor>& rows) {
  const Model& model = path.model;
  const std::string& type = joint.type;
  const int i = joint.i, j = joint.j;
  if (type == "gear") {
    rows.push_back(coordinate(path, model.joints[joint.joint_b], 0) -
                   joint.ratio * coordinate(path, model.joints[joint.joint_a], 0));
    return;
  }
  if (type == "constraint") {
    for (const Expression& expression : joint.expressions) {
      const Taylor value = evaluate(expression, path, expression.uses_velocity());
      rows.push_back(expression.uses_velocity() ? Taylor{0, value.value, value.rate} : value);
    }
    return;
  }
  if (type == "gear_pair") {
    if (!model.planar()) throw std::runtime_error("the reference knows gear pairs in the plane only");
    rows.push_back(turn_about(path, joint.carrier, i, Vec3::UnitZ()) -
                   joint.ratio * turn_about(path, joint.carrier, j, Vec3::UnitZ()));
    return;
  }
  if (type == "rolling") {
    if (i != ground) throw std::runtime_error("the reference rolls on the ground only");
    const TaylorVector center = path.point(j, joint.at_j);
    const Vec3 height = joint.at_j - joint.surface_at;
    if (model.planar()) {
      Vec3 n = Vec3::UnitZ().cross(joint.surface_direction);
      if (n.dot(height) < 0) n = -n;
      rows.push_back(dot(fixed(n), center - fixed(joint.surface_at)) - constant(joint.radius));
      // Without slip: e.C' = e.(w x R n).
      const Vec3& e = joint.surface_direction;
      rows.push_back(dot(fixed(e), center - fixed(joint.at_j)) -
                     (joint.radius * e.dot(Vec3::UnitZ().cross(n))) * turn_about(path, ground, j, Vec3::UnitZ()));
      return;
    }
    const Vec3 n = joint.surface_direction.dot(height) < 0 ? Vec3(-joint.surface_direction) : joint.surface_direction;
    const TaylorVector u = path.vector(j, joint.axis_j), normal = fixed(n);
    const TaylorVector down = unit(dot(normal, u) * u - normal);
    const TaylorVector arm = constant(joint.radius) * down;
    rows.push_back(dot(normal, center + arm - fixed(joint.surface_at)));
    const Vec3 w = path.spin(j);  // constant along the path
    const Vec3 slip = center.rate + w.cross(arm.value), slip_rate = center.second + w.cross(arm.rate);
    const Vec3 e1 = across(n), e2 = n.cross(e1);
    rows.push_back({0, e1.dot(slip), e1.dot(slip_rate)});
    rows.push_back({0, e2.dot(slip), e2.dot(slip_rate)});
    return;
  }
  if (type == "knife_edge") {
    if (i != ground) throw std::runtime_error("the reference has knife edges on the ground only");
    const TaylorVector p = path.point(j, joint.at_j), u = path.vector(j, joint.axis_j);
    rows.push_back({0, u.value.dot(p.rate), u.rate.dot(p.rate) + u.value.dot(p.second)});
    return;
  }

  const TaylorVector d = path.point(j, joint.at_j) - path.point(i, joint.at_i);
  const auto component = [&](const Vec3& direction) { rows.push_back(dot(path.vector(i, direction), d)); };
  const auto perpendicular = [&](const Vec3& on_i, const Vec3& on_j) {
    rows.push_back(dot(path.vector(i, on_i), path.vector(j, on_j)));
  };
  const auto coincide = [&] {
    for (int k = 0; k < (model.planar() ? 2 : 3); ++k) rows.push_back(dot(fixed(Vec3::Unit(k)), d));
  };
  const auto same_orientation = [&] {
    perpendicular(Vec3::UnitX(), Vec3::UnitY());
    if (model.planar()) return;
    perpendicular(Vec3::UnitY(), Vec3::UnitZ());
    perpendicular(Vec3::UnitZ(), Vec3::UnitX());
  };
  const Vec3& a = joint.axis_i;
  const Vec3 e1 = model.planar() ? Vec3(Vec3::UnitZ().cross(a)) : across(a), e2 = a.cross(e1);
  const auto stay_on_line = [&] {
    component(e1);
    if (!model.planar()) component(e2);
  };
  const auto parallel = [&] {
    perpendicular(e1, joint.axis_j);
    perpendicular(e2, joint.axis_j);
  };
  if (type == "revolute") {
    coincide();
    if (!model.planar()) parallel();
  } else if (type == "prismatic") {
    stay_on_line();
    same_orientation();
  } else if (type == "fixed") {
    coincide();
    same_orientation();
  } else if (type == "cylindrical") {
    stay_on_line();
    parallel();
  } else if (type == "spherical") {
    coincide();
  } else if (type == "universal") {
    coincide();
    perpendicular(joint.axis_i, joint.axis_j);
  } else if (type == "planar") {
    component(a);
    parallel();
  } else if (type == "screw") {
    stay_on_line();
    parallel();
    rows.push_back(dot(path.vector(i, a), d) - (joint.pitch / (2 * M_PI)) * coordinate(path, joint, 0));
  } else if (type == "distance") {
    rows.push_back(root(dot(d, d)) - constant(joint.length));
  } else if (type == "point_on_line") {
    stay_on_line();
  } else if (type == "point_on_plane") {
    component(a);
  } else if (type == "parallel_axes") {
    parallel();
  } else if (type == "perpendicular_axes") {
    perpendicular(joint.axis_i, joint.axis_j);
  } else if (type == "orientation") {
    same_orientation();
  } else {
    throw std::runtime_error("the reference does not know joints of type " + type);
  }
}

void add_motion_row(const Path& path, const Motion& motion, std::vector<Taylor>& rows) {
  const Taylor law = evaluate(motion.position, path);
  if (motion.joint >= 0) {
    rows.push_back(coordinate(path, path.model.joints[motion.joint], motion.coordinate) - law);
  } else {
    const TaylorVector moved = path.point(motion.point.body, motion.point.place) - fixed(motion.point.place);
    rows.push_back(dot(fixed(motion.direction), moved) - law);
  }
}

/// A generalised force on a scalar of the motion (joint coordinate, length): Q += effort d scalar/d v.
struct Effort {
  std::vector<int> bodies;
  std::function<Taylor(const Path&)> scalar;
  double value = 0;
};

std::vector<int> bodies_of_text(const Model& model, const Expression& expression) {
  std::vector<int> bodies;
  for (const Signal& signal : expression.signals()) {
    if (signal.quantity == Quantity::variable) continue;
    if (signal.quantity == Quantity::angle || signal.quantity == Quantity::position ||
        signal.quantity == Quantity::rate) {
      bodies.push_back(model.joints[signal.target].i);
      bodies.push_back(model.joints[signal.target].j);
    } else {
      bodies.push_back(signal.target);
    }
  }
  return bodies;
}

std::vector<int> bodies_of_joint(const Model& model, const Joint& joint) {
  if (joint.type == "gear") {
    const Joint &a = model.joints[joint.joint_a], &b = model.joints[joint.joint_b];
    return {a.i, a.j, b.i, b.j};
  }
  if (joint.type == "gear_pair") return {joint.i, joint.j, joint.carrier};
  if (joint.type == "constraint") {
    std::vector<int> bodies;
    for (const Expression& e : joint.expressions) {
      for (const int b : bodies_of_text(model, e)) bodies.push_back(b);
    }
    return bodies;
  }
  return {joint.i, joint.j};
}

/// Everything at one state.
struct Instant {
  const Model& model;
  const ReferenceState& state;
  std::vector<Mat3> turned;
  int freedoms, size;
  Vector Q;
  std::vector<Mat3> inertia;  // world axes

  Instant(const Model& m, const ReferenceState& s)
      : model(m), state(s), freedoms(m.planar() ? 3 : 6), size(freedoms * static_cast<int>(m.bodies.size())) {
    for (std::size_t b = 0; b < m.bodies.size(); ++b) {
      const Mat3 R = s.orientation[b].toRotationMatrix();
      turned.push_back(R * m.bodies[b].orientation.toRotationMatrix().transpose());
      inertia.push_back(R * m.bodies[b].inertia * R.transpose());
    }
  }
  Path whole() const { return {.model = model, .state = state, .turned = turned}; }
  Path unit(int body, int k) const {
    Path path{.model = model, .state = state, .turned = turned, .whole = false, .body = body};
    if (model.planar()) {
      if (k < 2) {
        path.unit_velocity = Vec3::Unit(k);
      } else {
        path.unit_spin = Vec3::UnitZ();
      }
    } else if (k < 3) {
      path.unit_velocity = Vec3::Unit(k);
    } else {
      path.unit_spin = Vec3::Unit(k - 3);
    }
    return path;
  }
  void add(int body, const Vec3& force, const Vec3& moment) {
    if (body == ground) return;
    auto part = Q.segment(freedoms * body, freedoms);
    if (model.planar()) {
      part += Vec3(force.x(), force.y(), moment.z());
    } else {
      part.head(3) += force;
      part.tail(3) += moment;
    }
  }
  void add_at(int body, const Vec3& place, const Vec3& force) {
    if (body != ground) add(body, force, (place - state.place[body]).cross(force));
  }
  void add_effort(const std::vector<int>& bodies, const std::function<Taylor(const Path&)>& scalar, double effort) {
    for (const int b : std::set<int>(bodies.begin(), bodies.end())) {
      if (b == ground) continue;
      for (int k = 0; k < freedoms; ++k) Q[freedoms * b + k] += effort * scalar(unit(b, k)).rate;
    }
  }
  void add_forces();
};

void Instant::add_forces() {
  Q = Vector::Zero(size);
  const Path path = whole();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Vec3& w = state.spin[b];
    add(static_cast<int>(b), model.bodies[b].mass * model.gravity,
        model.planar() ? Vec3(Vec3::Zero()) : Vec3(-w.cross(inertia[b] * w)));
  }
  for (const Force& force : model.forces) {
    if (const auto* f = std::get_if<AppliedForce>(&force.law)) {
      Vec3 value;
      for (int k = 0; k < 3; ++k) value[k] = evaluate(f->vector[k], path).value;
      if (f->in_body_frame) value = state.orientation[f->at.body] * value;
      add_at(f->at.body, path.point(f->at.body, f->at.place).value, value);
    } else if (const auto* torque = std::get_if<AppliedTorque>(&force.law)) {
      Vec3 value;
      for (int k = 0; k < 3; ++k) value[k] = evaluate(torque->vector[k], path).value;
      if (torque->in_body_frame) value = state.orientation[torque->body] * value;
      add(torque->body, Vec3::Zero(), value);
    } else if (const auto* s = std::get_if<Spring>(&force.law)) {
      const auto length = [&](const Path& p) {
        const TaylorVector d = p.point(s->to.body, s->to.place) - p.point(s->from.body, s->from.place);
        return root(dot(d, d));
      };
      const Taylor l = length(path);
      double push = -s->stiffness * (l.value - s->free_length) - s->damping * l.rate;
      if (s->law) {
        push = Formula(s->law->text(), path.time(),
                       [&](const std::string& name, const std::vector<std::string>&) {
                         return constant(name == "x" ? l.value - s->free_length : l.rate);
                       })
                   .value()
                   .value;
      }
      add_effort({s->from.body, s->to.body}, length, push);
    } else if (const auto* r = std::get_if<RotationalSpring>(&force.law)) {
      const Joint& joint = model.joints[r->joint];
      const auto scalar = [&](const Path& p) { return coordinate(p, joint, r->coordinate); };
      const Taylor c = scalar(path);
      if (r->law) throw std::runtime_error("the reference knows no laws of rotational springs");
      add_effort({joint.i, joint.j}, scalar, -r->stiffness * (c.value - r->free_angle) - r->damping * c.rate);
    } else if (const auto* a = std::get_if<Actuator>(&force.law)) {
      const Joint& joint = model.joints[a->joint];
      add_effort(
          {joint.i, joint.j}, [&](const Path& p) { return coordinate(p, joint, a->coordinate); },
          evaluate(a->value, path).value);
    } else if (const auto* bush = std::get_if<Bushing>(&force.law)) {
      for (int k = 0; k < 3; ++k) {
        const auto shift = [&](const Path& p) {
          return dot(p.vector(bush->i, Vec3::Unit(k)), p.point(bush->j, bush->at) - p.point(bush->i, bush->at));
        };
        const Taylor d = shift(path);
        add_effort({bush->i, bush->j}, shift, -bush->stiffness[k] * d.value - bush->damping[k] * d.rate);
        const bool turns = bush->stiffness[3 + k] != 0 || bush->damping[3 + k] != 0;
        if (!turns) continue;
        if (!model.planar()) throw std::runtime_error("the reference knows no turning bushings in space");
        const auto turn = [&](const Path& p) { return turn_about(p, bush->i, bush->j, Vec3::UnitZ()); };
        const Taylor turned_by = turn(path);
        add_effort({bush->i, bush->j}, turn,
                   -bush->stiffness[3 + k] * turned_by.value - bush->damping[3 + k] * turned_by.rate);
      }
    } else if (const auto* rotor = std::get_if<Rotor>(&force.law)) {
      const TaylorVector u = path.vector(rotor->body, rotor->axis);
      const Taylor speed = evaluate(rotor->speed, path);
      add(rotor->body, Vec3::Zero(),
          -state.spin[rotor->body].cross(rotor->inertia * speed.value * u.value) -
              rotor->inertia * speed.rate * u.value);
    }
  }
}

/// A joint coordinate with friction.
struct Slip {
  int joint, coordinate, bristle;
};

std::vector<Slip> slips_of(const Model& model) {
  std::vector<Slip> slips;
  int bristles = 0;
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const Joint& joint = model.joints[k];
    if (joint.friction.law == Friction::Law::none) continue;
    const int count = joint.type == "cylindrical" ? 2 : 1;
    if (joint.friction.coulomb != 0 && count > 1) throw std::runtime_error("no Coulomb friction of cylindrical joints");
    for (int c = 0; c < count; ++c)
      slips.push_back({static_cast<int>(k), c, joint.friction.law == Friction::Law::dahl ? bristles++ : -1});
  }
  return slips;
}

}  // namespace

Reference::Reference(const Model& model) : model_(model) {
  for (const Body& body : model.bodies) {
    const double least =
        model.planar() ? body.inertia(2, 2) : body.inertia.selfadjointView<Eigen::Lower>().eigenvalues()[0];
    if (!(body.mass > 0) || !(least > 0)) throw std::runtime_error("the reference needs bodies with mass and inertia");
  }
  slips_of(model);
}

int Reference::bristle_count() const {
  int count = 0;
  for (const Slip& slip : slips_of(model_)) count += slip.bristle >= 0;
  return count;
}

ReferenceAccelerations Reference::accelerations(const ReferenceState& state, bool reactions) const {
  Instant instant(model_, state);
  const Path path = instant.whole();
  const int n = instant.size, freedoms = instant.freedoms;

  // Rows: values, Jacobian, and what P v' has to be.
  std::vector<Taylor> rows;
  std::vector<int> owner;  // joint, or -1
  std::vector<std::vector<int>> bodies;
  std::vector<std::pair<int, int>> range;
  for (std::size_t k = 0; k < model_.joints.size(); ++k) {
    const int first = static_cast<int>(rows.size());
    add_joint_rows(path, model_.joints[k], rows);
    range.push_back({first, static_cast<int>(rows.size())});
  }
  const int joint_rows = static_cast<int>(rows.size());
  for (const Motion& motion : model_.motions) add_motion_row(path, motion, rows);
  const int m = static_cast<int>(rows.size());
  Matrix P = Matrix::Zero(m, n);
  const auto fill = [&](const std::vector<int>& involved, int first, const auto& evaluate_rows) {
    std::vector<Taylor> part;
    for (const int b : std::set<int>(involved.begin(), involved.end())) {
      if (b == ground) continue;
      for (int k = 0; k < freedoms; ++k) {
        part.clear();
        evaluate_rows(instant.unit(b, k), part);
        for (std::size_t r = 0; r < part.size(); ++r) P(first + static_cast<int>(r), freedoms * b + k) = part[r].rate;
      }
    }
  };
  for (std::size_t k = 0; k < model_.joints.size(); ++k) {
    const Joint& joint = model_.joints[k];
    fill(bodies_of_joint(model_, joint), range[k].first,
         [&](const Path& p, std::vector<Taylor>& out) { add_joint_rows(p, joint, out); });
  }
  for (std::size_t k = 0; k < model_.motions.size(); ++k) {
    const Motion& motion = model_.motions[k];
    const std::vector<int> involved =
        motion.joint >= 0 ? bodies_of_joint(model_, model_.joints[motion.joint]) : std::vector<int>{motion.point.body};
    fill(involved, joint_rows + static_cast<int>(k),
         [&](const Path& p, std::vector<Taylor>& out) { add_motion_row(p, motion, out); });
  }
  ReferenceAccelerations result;
  Vector gamma(m);
  for (int r = 0; r < m; ++r) {
    gamma[r] = -rows[r].second;
    result.constraint_error = std::max(result.constraint_error, std::abs(rows[r].value));
    result.velocity_error = std::max(result.velocity_error, std::abs(rows[r].rate));
  }
  if (!gamma.allFinite() || !P.allFinite()) throw std::runtime_error("the motion is lost");

  // M^-1 = W W^T.
  Matrix W = Matrix::Zero(n, n);
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const int at = freedoms * static_cast<int>(b), lines = model_.planar() ? 2 : 3;
    for (int k = 0; k < lines; ++k) W(at + k, at + k) = 1 / std::sqrt(model_.bodies[b].mass);
    if (model_.planar()) {
      W(at + 2, at + 2) = 1 / std::sqrt(model_.bodies[b].inertia(2, 2));
    } else {
      const Mat3 L = instant.inertia[b].llt().matrixL();
      W.block<3, 3>(at + 3, at + 3) = L.transpose().inverse();
    }
  }
  instant.add_forces();

  const Matrix D = P * W;
  // With one decomposition for all loads of friction.
  const Eigen::CompleteOrthogonalDecomposition<Matrix> solver = [&] {
    Eigen::CompleteOrthogonalDecomposition<Matrix> s;
    s.setThreshold(rank_threshold);
    if (m > 0) s.compute(D);
    return s;
  }();
  Vector Q, a, lambda;
  const auto solve = [&] {
    const Vector z = W.transpose() * Q;
    Vector y = Vector::Zero(n);
    if (m > 0) {
      y = solver.solve(gamma - D * z);
      lambda = solver.transpose().solve(y);
      lambda = -lambda;
    }
    a = W * (z + y);
  };
  // Force and moment that joint k exerts on its body j at the joint's place, as rows of a matrix times lambda.
  const auto wrench = [&](std::size_t k) {
    const Joint& joint = model_.joints[k];
    const bool of_i = joint.j == ground;
    const int body = of_i ? joint.i : joint.j;
    const Vec3 place = path.point(joint.j, joint.at_j).value;
    Matrix C = Matrix::Zero(6, m);
    for (int r = range[k].first; r < range[k].second; ++r) {
      Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
      const auto row = P.row(r).segment(freedoms * body, freedoms);
      if (model_.planar()) {
        force.head(2) = -row.head(2).transpose();
        moment.z() = -row[2];
      } else {
        force = -row.head(3).transpose();
        moment = -row.tail(3).transpose();
      }
      moment -= (place - state.place[body]).cross(force);
      C.col(r).head(3) = of_i ? Vec3(-force) : force;
      C.col(r).tail(3) = of_i ? Vec3(-moment) : moment;
    }
    return C;
  };

  const std::vector<Slip> slips = slips_of(model_);
  bool loaded = false;
  for (const Slip& slip : slips) loaded |= model_.joints[slip.joint].friction.coulomb != 0;
  Q = instant.Q;
  solve();
  Vector limits = Vector::Zero(static_cast<int>(slips.size()));
  if (!slips.empty()) {
    std::vector<Matrix> gradients, wrenches;
    std::vector<double> rates;
    const Vector other_loads = instant.Q;
    for (const Slip& slip : slips) {
      const Joint& joint = model_.joints[slip.joint];
      const auto scalar = [&](const Path& p) { return coordinate(p, joint, slip.coordinate); };
      instant.Q.setZero();
      instant.add_effort({joint.i, joint.j}, scalar, 1);
      gradients.push_back(instant.Q);
      rates.push_back(scalar(path).rate);
      wrenches.push_back(wrench(static_cast<std::size_t>(slip.joint)));
    }
    double change = 1;
    for (int round = 0; round < 200 && change > 1e-13; ++round) {
      const Vector before = a, lambda_before = lambda;
      Q = other_loads;
      for (std::size_t s = 0; s < slips.size(); ++s) {
        const Friction& f = model_.joints[slips[s].joint].friction;
        double effort = -f.viscous * rates[s];
        const double load = m > 0 ? (wrenches[s].topRows(3) * lambda).norm() : 0;
        const bool turns = turns_first(model_.joints[slips[s].joint]) || slips[s].coordinate == 1;
        limits[static_cast<int>(s)] = f.limit > 0 ? f.limit : f.coulomb * load * (turns ? f.radius : 1);
        if (slips[s].bristle >= 0) {
          effort -= state.bristles[slips[s].bristle];
        } else if (f.coulomb != 0) {
          const double part = f.stribeck > 0 ? rates[s] / f.stribeck : 0;
          const double rise = f.at_rest > f.coulomb ? 1 + (f.at_rest / f.coulomb - 1) * std::exp(-part * part) : 1;
          effort -= rise * limits[static_cast<int>(s)] * std::tanh(rates[s] / f.smoothing);
        }
        Q += effort * gradients[s];
      }
      solve();
      change = (a - before).cwiseAbs().maxCoeff() / std::max(a.cwiseAbs().maxCoeff(), 1e-12);
      // Driven bodies do not ask for loads, but reactions do.
      if (m > 0) change = std::max(change, (lambda - lambda_before).norm() / std::max(lambda.norm(), 1e-12));
      if (!loaded && round > 0) break;
    }
    if (change > 1e-10 && loaded) throw std::runtime_error("friction and loads do not agree");
    if (reactions && loaded) {
      const Eigen::BDCSVD<Matrix> svd(D, Eigen::ComputeFullU);
      const Matrix free_loads = svd.matrixU().rightCols(m - solver.rank());
      for (std::size_t s = 0; s < slips.size(); ++s) {
        if (model_.joints[slips[s].joint].friction.coulomb != 0 && (wrenches[s].topRows(3) * free_loads).norm() > 1e-7)
          throw std::runtime_error("friction depends on a reaction that is not unique");
      }
    }
    result.bristles = Vector::Zero(bristle_count());
    for (std::size_t s = 0; s < slips.size(); ++s) {
      if (slips[s].bristle < 0) continue;
      const double limit = std::max(limits[static_cast<int>(s)], 1e-12);
      const double F = state.bristles[slips[s].bristle];
      result.bristles[slips[s].bristle] =
          model_.joints[slips[s].joint].friction.stiffness * (rates[s] - std::abs(rates[s]) * F / limit);
    }
  } else {
    result.bristles = Vector::Zero(0);
  }
  if (!a.allFinite()) throw std::runtime_error("the motion is lost");

  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const auto part = a.segment(freedoms * static_cast<int>(b), freedoms);
    if (model_.planar()) {
      result.linear.push_back({part[0], part[1], 0});
      result.angular.push_back({0, 0, part[2]});
    } else {
      result.linear.push_back(part.head(3));
      result.angular.push_back(part.tail(3));
    }
  }
  result.rows = m;
  result.rank = m > 0 ? static_cast<int>(solver.rank()) : 0;
  if (!reactions || m == 0) return result;

  const Eigen::BDCSVD<Matrix> svd(D, Eigen::ComputeFullU);
  const Vector& sigma = svd.singularValues();
  int rank = 0;
  while (rank < sigma.size() && sigma[rank] > rank_threshold * sigma[0]) ++rank;
  result.least_singular = rank > 0 ? sigma[rank - 1] / sigma[0] : 1;
  result.first_dropped = rank < sigma.size() ? sigma[rank] / sigma[0] : 0;
  const Matrix undetermined = svd.matrixU().rightCols(m - rank);
  const std::vector<std::string> names{"fx", "fy", "fz", "mx", "my", "mz"};
  for (std::size_t k = 0; k < model_.joints.size(); ++k) {
    const Joint& joint = model_.joints[k];
    if (joint.type == "gear" || joint.type == "gear_pair" || joint.type == "constraint") continue;
    const Matrix C = wrench(k);
    for (int c = 0; c < 6; ++c) {
      if (model_.planar() && c != 0 && c != 1 && c != 5) continue;
      if (joint.type == "rolling" && c > 2) continue;  // its place is the contact
      const double size = C.row(c).norm();
      const bool unique = (C.row(c) * undetermined).norm() <= 1e-7 * std::max(size, 1e-9);
      result.reactions.push_back({joint.name + "." + names[c], C.row(c).dot(lambda), unique});
      result.loads = std::max(result.loads, std::abs(result.reactions.back().value));
    }
  }
  return result;
}

namespace {

ReferenceState moved(const Model& model, const ReferenceState& s, const ReferenceState& rate_at,
                     const ReferenceAccelerations& a, double h) {
  ReferenceState result = s;
  result.t = s.t + h;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    result.place[b] += h * rate_at.velocity[b];
    result.velocity[b] += h * a.linear[b];
    result.spin[b] += h * a.angular[b];
    // q' = 1/2 w q, w in world axes; the norm is restored at the end of a step.
    const Quaternion w(0, rate_at.spin[b].x(), rate_at.spin[b].y(), rate_at.spin[b].z());
    result.orientation[b].coeffs() += 0.5 * h * (w * rate_at.orientation[b]).coeffs();
  }
  result.bristles = s.bristles + h * a.bristles;
  return result;
}

}  // namespace

ReferenceState Reference::advance(ReferenceState s, double duration, int steps) const {
  const double h = duration / steps;
  for (int step = 0; step < steps; ++step) {
    const auto normal = [](ReferenceState state) {
      for (Quaternion& q : state.orientation) q.normalize();
      return state;
    };
    const ReferenceAccelerations a1 = accelerations(s, false);
    const ReferenceState s2 = moved(model_, s, s, a1, h / 2);
    const ReferenceAccelerations a2 = accelerations(normal(s2), false);
    const ReferenceState s3 = moved(model_, s, s2, a2, h / 2);
    const ReferenceAccelerations a3 = accelerations(normal(s3), false);
    const ReferenceState s4 = moved(model_, s, s3, a3, h);
    const ReferenceAccelerations a4 = accelerations(normal(s4), false);
    ReferenceState next = s;
    next.t = s.t + h;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
      const auto mean = [h](const auto& k1, const auto& k2, const auto& k3, const auto& k4) {
        return (h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)).eval();
      };
      next.place[b] += mean(s.velocity[b], s2.velocity[b], s3.velocity[b], s4.velocity[b]);
      next.velocity[b] += mean(a1.linear[b], a2.linear[b], a3.linear[b], a4.linear[b]);
      next.spin[b] += mean(a1.angular[b], a2.angular[b], a3.angular[b], a4.angular[b]);
      const auto rate = [b](const ReferenceState& state) -> Eigen::Vector4d {
        const Quaternion w(0, state.spin[b].x(), state.spin[b].y(), state.spin[b].z());
        return 0.5 * (w * state.orientation[b]).coeffs();
      };
      next.orientation[b].coeffs() += mean(rate(s), rate(s2), rate(s3), rate(s4));
    }
    next.bristles += h / 6 * (a1.bristles + 2 * a2.bristles + 2 * a3.bristles + a4.bristles);
    s = normal(next);
  }
  return s;
}

double Reference::initial_error(const ReferenceState& state) const {
  Instant instant(model_, state);
  const Path path = instant.whole();
  double error = 0;
  const auto off = [&error](double difference) { error = std::max(error, std::abs(difference)); };
  for (const InitialJointValue& value : model_.initial.joint_positions)
    off(coordinate(path, model_.joints[value.joint], value.coordinate).value - value.value);
  for (const InitialJointValue& value : model_.initial.joint_rates)
    off(coordinate(path, model_.joints[value.joint], value.coordinate).rate - value.value);
  for (const InitialTwist& twist : model_.initial.twists) {
    if (twist.linear) off((*twist.linear - state.velocity[twist.body]).norm());
    if (twist.angular) off((*twist.angular - state.spin[twist.body]).norm());
  }
  return error;
}

StateDifference difference(const ReferenceState& a, const ReferenceState& b) {
  StateDifference result;
  for (std::size_t k = 0; k < a.place.size(); ++k) {
    result.position = std::max(result.position, (a.place[k] - b.place[k]).norm());
    result.position = std::max(result.position, a.orientation[k].angularDistance(b.orientation[k]));
    result.velocity = std::max(result.velocity, (a.velocity[k] - b.velocity[k]).norm());
    result.velocity = std::max(result.velocity, (a.spin[k] - b.spin[k]).norm());
  }
  return result;
}

}  // namespace bricard::differential

#include "analyses/gears/train_torques.h"

#include <algorithm>
#include <cmath>

#include "coordinates/coordinates.h"
#include "joints/fundamental_circuits.h"
#include "joints/signals.h"
#include "system/equations.h"
#include "system/system.h"

namespace bricard {
namespace {

bool turns(const Model& model, const Joint& joint, int coordinate) {
  return is_turning_pair(joint) && type_of(joint).coordinates(model.dimension)[coordinate] == JointCoordinate::angle;
}

/// The model with its torques' laws as outputs, so that a system binds them to its signals: three for each torque, one
/// for each actuator.
std::shared_ptr<const Model> with_laws_as_outputs(const Model& model) {
  auto changed = std::make_shared<Model>(model);
  changed->outputs.clear();
  for (const Force& force : model.forces) {
    if (const auto* torque = std::get_if<AppliedTorque>(&force.law)) {
      for (const Expression& component : torque->vector) changed->outputs.emplace_back(force.name, component);
    } else if (const auto* actuator = std::get_if<Actuator>(&force.law)) {
      changed->outputs.emplace_back(force.name, actuator->value);
    }
  }
  return changed;
}

}  // namespace

TrainTorques::TrainTorques(const std::shared_ptr<const Model>& model, const Vec3& axis, const Assembly& start)
    : system_(with_laws_as_outputs(*model), *find_coordinates_type("reference-point")),
      model_(system_.model()),
      axis_(axis),
      n_(static_cast<int>(model->bodies.size())),
      omega_(n_),
      torque_(Vector::Zero(n_)),
      slopes_(Matrix::Zero(n_, n_)),
      inertia_(Matrix::Zero(n_, n_)) {
  start_at(system_, start);
  Equations equations = system_.empty_equations();
  system_.evaluate(0, start.q, start.v, Vector::Zero(system_.state_size()), Upto::dynamics, equations);
  std::vector<BodyState> states;
  system_.body_states(states);
  for (int body = 0; body < n_; ++body) omega_[body] = axis_.dot(states[body].omega);
  find_inertia(states);
  find_torques();
}

void TrainTorques::leave_out(const std::string& what) {
  const std::string message = what + " is left out of the gear train's torques";
  if (std::find(messages_.begin(), messages_.end(), message) == messages_.end()) messages_.push_back(message);
}

Eigen::RowVectorXd TrainTorques::rate_row(const Joint& joint) const {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n_);
  const double sign = model_.planar() || joint.axis_i.dot(axis_) > 0 ? 1 : -1;
  if (joint.j != ground) row[joint.j] += sign;
  if (joint.i != ground) row[joint.i] -= sign;
  return row;
}

// From body to body along the joints, beginning at the ground: the joint's place has one velocity on both.
void TrainTorques::find_inertia(const std::vector<BodyState>& states) {
  std::vector<Matrix> J(n_);  // 3 x bodies
  const auto reached = [&](int body) { return body == ground || J[body].size() > 0; };
  const auto place = [&](int body, const Vec3& at) -> Vec3 {
    if (body == ground) return at;
    const Body& reference = model_.bodies[body];
    return states[body].center +
           states[body].orientation * (reference.orientation.conjugate() * Vec3(at - reference.center));
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (const Joint& joint : model_.joints) {
      if ((!is_turning_pair(joint) && !type_of(joint).rigid()) || reached(joint.i) == reached(joint.j)) continue;
      const int from = reached(joint.i) ? joint.i : joint.j, to = from == joint.i ? joint.j : joint.i;
      const Vec3 at = place(from, from == joint.i ? joint.at_i : joint.at_j);
      J[to] = Matrix::Zero(3, n_);
      if (from != ground) {
        J[to] = J[from];
        J[to].col(from) += axis_.cross(at - states[from].center);
      }
      J[to].col(to) += axis_.cross(states[to].center - at);
      progress = true;
    }
  }
  const double length = model_.characteristic_length();
  bool constant = true, arms = false;
  for (int body = 0; body < n_; ++body) {
    const Body& reference = model_.bodies[body];
    const Vec3 n = reference.orientation.conjugate() * axis_;
    inertia_(body, body) += n.dot(reference.inertia * n);
    if (J[body].size() == 0) continue;
    // Rounding of centres that lie on their axes is no arm.
    for (int column = 0; column < n_; ++column) {
      if (J[body].col(column).norm() < 1e-12 * length) J[body].col(column).setZero();
    }
    inertia_ += reference.mass * J[body].transpose() * J[body];
    const auto moving = (J[body].colwise().norm().array() > 0).count();
    constant = constant && moving <= 1;
    arms = arms || (moving > 0 && reference.mass > 0);
  }
  if (!constant) {
    messages_.emplace_back(
        "a centre of mass moves with several speeds: the inertia is that of this position, and changes along the "
        "motion");
  }
  if (arms && (model_.gravity - axis_.dot(model_.gravity) * axis_).norm() > 0) leave_out("the weight of the planets");
}

void TrainTorques::add_damping(const Eigen::RowVectorXd& rate, double damping) {
  torque_ -= damping * rate.dot(omega_) * rate.transpose();
  slopes_ -= damping * rate.transpose() * rate;
}

/// A torque on the bodies, as `acts_on` says, that follows a law of signals.
void TrainTorques::add_law(const std::string& name, const BoundExpression& law, const Eigen::RowVectorXd& acts_on) {
  double time_partial = 0;
  torque_ += law.gradient(0, system_.signals(), time_partial) * acts_on.transpose();
  if (law.expression().uses_time()) leave_out("the dependence of " + name + " on time");
  const std::vector<Signal>& signals = law.expression().signals();
  for (std::size_t k = 0; k < signals.size(); ++k) {
    const Signal& signal = signals[k];
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(n_);
    switch (signal.quantity) {
      case Quantity::rate:
      case Quantity::rate2: {
        const Joint& joint = model_.joints[signal.target];
        if (turns(model_, joint, signal.quantity == Quantity::rate2)) row = rate_row(joint);
        break;
      }
      case Quantity::wx:
      case Quantity::wy:
      case Quantity::wz:
        if (signal.target != ground)
          row[signal.target] = axis_[static_cast<int>(signal.quantity) - static_cast<int>(Quantity::wx)];
        break;
      default: leave_out("the dependence of " + name + " on positions and linear velocities");
    }
    slopes_ += law.partials()[k] * acts_on.transpose() * row;
  }
}

void TrainTorques::find_torques() {
  std::size_t output = 0;
  for (const Force& force : model_.forces) {
    if (const auto* torque = std::get_if<AppliedTorque>(&force.law)) {
      for (int c = 0; c < 3; ++c, ++output) {
        if (torque->body == ground) continue;
        const Vec3 direction =
            torque->in_body_frame ? Vec3(model_.bodies[torque->body].orientation.conjugate() * axis_) : axis_;
        add_law(force.name, system_.outputs()[output], direction[c] * Eigen::RowVectorXd::Unit(n_, torque->body));
      }
    } else if (const auto* actuator = std::get_if<Actuator>(&force.law)) {
      const Joint& joint = model_.joints[actuator->joint];
      if (turns(model_, joint, actuator->coordinate)) {
        add_law(force.name, system_.outputs()[output], rate_row(joint));
      } else {
        leave_out(force.name);
      }
      ++output;
    } else if (const auto* spring = std::get_if<RotationalSpring>(&force.law)) {
      const Joint& joint = model_.joints[spring->joint];
      const bool damps = !spring->law && turns(model_, joint, spring->coordinate);
      if (damps) add_damping(rate_row(joint), spring->damping);
      if (!damps || spring->stiffness != 0) leave_out(damps ? "the stiffness of " + force.name : force.name);
    } else {
      leave_out(force.name);
    }
  }
  for (const Joint& joint : model_.joints) {
    if (joint.friction.law == Friction::Law::none) continue;
    const bool one_coordinate = type_of(joint).coordinates(model_.dimension).size() == 1;
    if (joint.friction.law == Friction::Law::viscous && one_coordinate && turns(model_, joint, 0)) {
      add_damping(rate_row(joint), joint.friction.viscous);
    } else {
      leave_out("the friction of " + joint.name);
    }
  }
}

}  // namespace bricard

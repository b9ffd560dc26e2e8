#include "motions/tree_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "coordinates/articulated_bodies.h"
#include "coordinates/relative.h"
#include "model/joint_type.h"

namespace bricard {

bool TreeMotion::suits(const System& system) {
  return dynamic_cast<const RelativeCoordinates*>(&system.coordinates()) && system.row_count() == 0 &&
         system.friction().empty();
}

TreeMotion::TreeMotion(System& system, std::unique_ptr<Formulation> formulation,
                       std::unique_ptr<Stabilization> stabilization, ConstVector q, ConstVector v)
    : DependentMotion(system, std::move(formulation), std::move(stabilization), CorrectionTimes::steps, Upto::forces,
                      Matrices::none),
      tree_(&dynamic_cast<ArticulatedBodies&>(*system.coordinates().mass_solver()).tree()),
      has_forces_(system.has_forces()),
      rates_(positions_) {
  if (!system.markers().counts_turns) find_turns(q, v);
}

void TreeMotion::find_turns(ConstVector q, ConstVector v) {
  system_.evaluate(0, q, v, Vector(), Upto::velocities, eq_);
  const Model& model = system_.model();
  int position = 0, velocity = 0;
  for (const TreeEdge& edge : dynamic_cast<const RelativeCoordinates&>(system_.coordinates()).tree().edges) {
    std::vector<std::pair<int, int>> places;  // positions and velocities of the links that turn about an axis
    for (const ElementaryLink& link : edge.links) {
      if (link.kind == ElementaryLink::Kind::turn || link.kind == ElementaryLink::Kind::screw)
        places.emplace_back(position, velocity);
      position += link.positions();
      velocity += link.velocities();
    }
    if (edge.joint < 0) continue;
    // From j to i everything turns the other way, and in the opposite order.
    const Joint& joint = model.joints[edge.joint];
    const bool reversed = edge.body == joint.i;
    if (reversed) std::reverse(places.begin(), places.end());
    const auto& coordinates = find_joint_type(joint.type)->coordinates(model.dimension);
    std::size_t turn = 0;
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      if (coordinates[c] != JointCoordinate::angle) continue;
      const auto [at, rate] = places[turn++];
      const double sign = reversed ? -1 : 1, full = 2 * std::numbers::pi;
      const double angle = system_.signals()[system_.joint_coordinates()[edge.joint][c]].value;
      turns_.push_back(
          {edge.joint, static_cast<int>(c), at, rate, sign, full * std::round((angle - sign * q[at]) / full)});
    }
  }
}

void TreeMotion::set_turns(double t) {
  for (const Turn& turn : turns_)
    system_.set_turn(turn.joint, turn.coordinate, turn.sign * q_[turn.position] + turn.offset, t,
                     turn.sign * v_[turn.velocity]);
}

void TreeMotion::move(double t, ConstVector x, double* qdot) {
  const double *const q = x.data(), *const v = q + positions_;
  std::copy_n(q, positions_, q_.data());
  std::copy_n(v, velocities_, v_.data());
  tree_->move(q, v, qdot);
  moved_ = true;
  if (!has_forces_) return;
  set_turns(t);
  system_.evaluate_elements(t, q_, v_, eq_);
}

bool TreeMotion::find_forces(const double*& Q) {
  if (!has_forces_) return true;
  eq_.Q.setZero();
  system_.coordinates().scatter(system_.markers(), system_.loads(), eq_.Q);
  Q = eq_.Q.data();
  return forces_are_finite();
}

Status TreeMotion::derivative(double t, ConstVector x, VectorRef xdot) {
  move(t, x, xdot.data());
  const double* Q = nullptr;
  if (!find_forces(Q)) return Status::failed;
  double* const vdot = xdot.data() + positions_;
  if (!tree_->factorize(Q, vdot)) {
    failure_ = q_.allFinite() && v_.allFinite() ? "a body of the tree can move in a direction without inertia"
                                                : "the state is not finite";
    return Status::failed;
  }
  tree_->restore(vdot);
  std::copy_n(vdot, velocities_, vdot_.data());
  if (!std::isfinite(vdot_.sum())) {
    failure_ = "the accelerations are not finite";
    return Status::failed;
  }
  xdot[size() - 1] = has_forces_ ? system_.element_power(t) : 0;
  return Status::ok;
}

Status TreeMotion::observe(double t, ConstVector x, VectorRef xdot) {
  moved_ = false;
  q_ = x.head(positions_);
  v_ = x.segment(positions_, velocities_);
  set_turns(t);
  return DependentMotion::derivative(t, x, xdot);
}

bool TreeMotion::accept(double t, ConstVector x) {
  if (!moved_ || q_ != x.head(positions_) || v_ != x.segment(positions_, velocities_)) move(t, x, rates_.data());
  set_turns(t);  // for whoever evaluates the System next
  energy_balance_ = tree_->energy() + (has_forces_ ? system_.stored_energy(t) : 0) - work(x);
  return true;
}

}  // namespace bricard

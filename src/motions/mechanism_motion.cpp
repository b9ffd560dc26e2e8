#include "motions/mechanism_motion.h"

namespace bricard {

MechanismMotion::MechanismMotion(System& system, Matrices matrices)
    : system_(system),
      positions_(system.position_size()),
      velocities_(system.velocity_size()),
      states_(system.state_size()),
      eq_(matrices == Matrices::whole ? system.empty_equations() : system.empty_vectors()),
      q_(positions_),
      v_(velocities_),
      vdot_(Vector::Zero(velocities_)),
      lambda_(Vector::Zero(system.row_count())),
      loaded_joints_(system.friction().loaded_joints()),
      friction_loads_(static_cast<int>(loaded_joints_.size())) {
  if (!system.friction_depends_on_load()) return;
  previous_lambda_.resize(system.row_count());
  Q_.resize(velocities_);
  loads_ = Vector::Zero(static_cast<int>(system.model().joints.size()));
}

bool MechanismMotion::accept(double t, ConstVector x) {
  accepted_q_.resize(positions_);
  accepted_v_.resize(velocities_);
  if (unpack(t, x, accepted_q_, accepted_v_) != Status::ok) return false;
  system_.evaluate(t, accepted_q_, accepted_v_, friction_states(x), Upto::velocities, eq_);
  if (!system_.turns_are_certain(t)) {
    failure_ = "a joint turns so fast that its turns cannot be counted";
    return false;
  }
  system_.accept(t);
  energy_balance_ = system_.kinetic_energy() + system_.potential_energy(t) - work(x);
  return true;
}

bool MechanismMotion::forces_are_finite() {
  if (eq_.Q.allFinite()) return true;
  const std::string name = system_.force_without_value();
  failure_ = name.empty() ? "a generalised force is not a number" : "force " + name + " is not a number";
  return false;
}

bool MechanismMotion::friction_has_settled(double tolerance) const {
  return lambda_.allFinite() &&
         (lambda_ - previous_lambda_).lpNorm<Eigen::Infinity>() <= tolerance * lambda_.lpNorm<Eigen::Infinity>();
}

void MechanismMotion::find_reactions(VectorRef forces) const {
  for (std::size_t k = 0; k < loaded_joints_.size(); ++k)
    forces.segment<3>(static_cast<int>(3 * k)) = system_.reaction(loaded_joints_[k], lambda_).force;
}

Status MechanismMotion::jams(int joint) {
  failure_ = "the friction of joint " + system_.model().joints[joint].name +
             " is so large that the joint is self-locking: it raises the load that causes it without limit";
  return Status::failed;
}

void MechanismMotion::scale_positions(VectorRef scales) const {
  const double length = system_.model().characteristic_length();
  for (int k = 0; k < positions_; ++k) scales[k] = system_.coordinates().is_length(k) ? length : 1;
}

void MechanismMotion::scale_velocities(VectorRef scales) const {
  const double length = system_.model().characteristic_length();
  for (int k = 0; k < velocities_; ++k) scales[k] = system_.coordinates().is_rotation(k) ? 1 : length;
}

}  // namespace bricard

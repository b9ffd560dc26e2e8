#include "motions/mechanism_motion.h"

namespace bricard {

MechanismMotion::MechanismMotion(System& system)
    : system_(system),
      positions_(system.position_size()),
      velocities_(system.velocity_size()),
      states_(system.state_size()),
      q_(positions_),
      v_(velocities_),
      vdot_(Vector::Zero(velocities_)),
      lambda_(Vector::Zero(system.row_count())) {}

void MechanismMotion::scale_positions(VectorRef scales) const {
  const double length = system_.model().characteristic_length();
  for (int k = 0; k < positions_; ++k) scales[k] = system_.coordinates().is_length(k) ? length : 1;
}

void MechanismMotion::scale_velocities(VectorRef scales) const {
  const double length = system_.model().characteristic_length();
  for (int k = 0; k < velocities_; ++k) scales[k] = system_.coordinates().is_rotation(k) ? 1 : length;
}

MatrixMotion::MatrixMotion(System& system)
    : MechanismMotion(system),
      eq_(system.empty_equations()),
      friction_(system),
      accepted_q_(positions_),
      accepted_v_(velocities_) {}

Vector MatrixMotion::friction_forces() const {
  return friction_.is_needed() ? Vector(friction_.Q() - eq_.Q) : Vector(Vector::Zero(velocities_));
}

bool MatrixMotion::accept(double t, ConstVector x) {
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

bool MatrixMotion::forces_are_finite() {
  if (eq_.Q.allFinite()) return true;
  const std::string name = system_.force_without_value();
  failure_ = name.empty() ? "a generalised force is not a number" : "force " + name + " is not a number";
  return false;
}

}  // namespace bricard

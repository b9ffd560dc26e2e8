#include "analyses/structure/body_companion.h"

namespace bricard {

BodyCompanion::BodyCompanion(System& system)
    : followed_(system),
      bodies_(system.shared_model(), *find_coordinates_type("reference-point")),
      eq_(bodies_.empty_equations()),
      q_(bodies_.position_size()),
      v_(bodies_.velocity_size()),
      vdot_(bodies_.velocity_size()),
      Q_(bodies_.velocity_size()),
      force_(bodies_.velocity_size()),
      lambda_(Vector::Zero(bodies_.row_count())) {}

void BodyCompanion::follow(double t, ConstVector q, ConstVector v, ConstVector vdot, ConstVector friction_states) {
  followed_.body_states(states_);
  bodies_.coordinates().from_bodies(states_, q_, v_);
  followed_.body_accelerations(q, v, vdot, linear_, angular_);
  // Reference-point coordinates: the velocities are those of the centre, then the angular one.
  const bool planar = bodies_.model().planar();
  const int stride = planar ? 3 : 6;
  for (int b = 0; b < static_cast<int>(states_.size()); ++b) {
    if (planar) {
      vdot_.segment<3>(stride * b) << linear_[b].head<2>(), angular_[b].z();
    } else {
      vdot_.segment<6>(stride * b) << linear_[b], angular_[b];
    }
  }
  bodies_.evaluate(t, q_, v_, friction_states, Upto::dynamics, eq_);
  bodies_.add_friction_of(followed_.friction(), eq_, Q_);  // found with the loads already
  force_.noalias() = Q_ - eq_.M * vdot_;
  solver_.factorize(eq_.P.transpose(), 1e-9);
  solver_.solve(force_, lambda_);
}

}  // namespace bricard

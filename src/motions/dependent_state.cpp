#include "motions/dependent_state.h"

#include <limits>

#include "motions/hermite.h"

namespace bricard {

DependentState::DependentState(System& system, Matrices matrices) : MechanismMotion(system, matrices) {}

void DependentState::pack(double, ConstVector q, ConstVector v, VectorRef x) {
  x.setZero();
  x.head(positions_) = q;
  x.segment(positions_, velocities_) = v;
}

Status DependentState::unpack(double, ConstVector x, Vector& q, Vector& v) {
  q = x.head(positions_);
  v = x.segment(positions_, velocities_);
  return Status::ok;
}

bool DependentState::renew(double, VectorRef x) {
  return system_.coordinates().rebase(x.head(positions_), x.segment(positions_, velocities_));
}

void DependentState::error_scales(VectorRef scales) const {
  scales.setOnes();
  scale_positions(scales.head(positions_));
  scale_velocities(scales.segment(positions_, velocities_));
  scales[size() - 1] = std::numeric_limits<double>::infinity();
}

// Positions by the Hermite polynomial through q, q', q'', velocities from its derivative: no evaluation is needed, and
// the error is that of a method of order 5 (two points), 8 or 11.
void DependentState::interpolate(std::span<const StepPoint> points, double t, VectorRef x) {
  MotionEquations::interpolate(points, t, x);
  const Coordinates& coordinates = system_.coordinates();
  const HermiteWeights weights(points, 3, t);
  const int count = static_cast<int>(points.size());
  qddot_.resize(positions_);
  q_at_.setZero(positions_);
  qdot_.setZero(positions_);
  for (int i = 0; i < count; ++i) {
    const StepPoint& point = points[count - 1 - i];
    const auto q = point.x.head(positions_), qdot = point.xdot.head(positions_);
    coordinates.position_acceleration(q, point.x.segment(positions_, velocities_),
                                      point.xdot.segment(positions_, velocities_), qddot_);
    q_at_ += weights.value(i, 0) * q + weights.value(i, 1) * qdot + weights.value(i, 2) * qddot_;
    qdot_ += weights.rate(i, 0) * q + weights.rate(i, 1) * qdot + weights.rate(i, 2) * qddot_;
  }
  x.head(positions_) = q_at_;
  coordinates.velocity_from_rate(q_at_, qdot_, x.segment(positions_, velocities_));
}

}  // namespace bricard

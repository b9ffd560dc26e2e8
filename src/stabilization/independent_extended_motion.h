// `independent-extended`: state (q, z'). Velocities follow from z' by [P; B] v = [-Phi_t; z'], positions are integrated
// all, and put back on the constraints when they have left them.                                     [Paul 1975;
// Jalon-Bayo Algorithm 5-4]
#pragma once

#include "stabilization/partitioned_motion.h"

namespace bricard {

class IndependentExtendedMotion : public PartitionedMotion {
 public:
  using PartitionedMotion::PartitionedMotion;

  int size() const override { return positions_ + freedoms() + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  bool corrects_steps() const override { return true; }
  StepChange after_step(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;
  void interpolate(double t0, ConstVector x0, ConstVector xdot0, double t1, ConstVector x1, ConstVector xdot1,
                   const Vector* xdot_middle, double t, VectorRef x) override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool renew(double t, VectorRef x) override;
  StepChange correct(double t, VectorRef x) override;

 private:
  /// q'' at a state with the derivative of its z'.
  void position_acceleration(double t, ConstVector x, ConstVector xdot, Vector& qddot);

  Vector step_, no_change_;
  // Dense output: accelerations at the ends and in the middle of the step that it was asked for last.
  double known_start_ = -1, known_end_ = -1;
  Vector qddot0_, qddot1_, qddot_middle_, q_at_, qdot_, middle_;
};

}  // namespace bricard

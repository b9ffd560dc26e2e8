// `independent-extended`: state (q, z'). Velocities follow from z' by [P; B] v = [-Phi_t; z'], positions are integrated
// all, and put back on the constraints when they have left them.                  [Paul 1975; Jalon-Bayo Algorithm 5-4]
#pragma once

#include "motions/partitioned_motion.h"

namespace bricard {

class IndependentExtendedMotion : public PartitionedMotion {
 public:
  using PartitionedMotion::PartitionedMotion;

  int size() const override { return positions_ + freedoms() + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  bool corrects_steps() const override { return true; }
  StepChange after_step(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool renew(double t, VectorRef x) override;
  StepChange correct(double t, VectorRef x) override;

 private:
  bool is_amplified(double error, double way) const;
  bool crosses();

  Vector step_, no_change_;
  Matrix last_R_;  // at the end of the last step
  int crossings_ = 0;
};

}  // namespace bricard

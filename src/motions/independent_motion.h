// `independent`: state (z, z'). Positions follow from z by Newton-Raphson, velocities from z' by [P; B] v = [-Phi_t;
// z'], so the constraints hold at every evaluation without stabilisation.  [Wehage-Haug 1982; Jalon-Bayo Algorithm 5-5]
#pragma once

#include "motions/partitioned_motion.h"

namespace bricard {

class IndependentMotion : public PartitionedMotion {
 public:
  using PartitionedMotion::PartitionedMotion;

  int size() const override { return 2 * freedoms() + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  StepChange after_step(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;
  void interpolate(std::span<const StepPoint> points, double t, VectorRef x) override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool renew(double t, VectorRef x) override;

 protected:
  Vector guess_;  // the positions from which Newton-Raphson starts
  Vector step_, z_error_;
};

}  // namespace bricard

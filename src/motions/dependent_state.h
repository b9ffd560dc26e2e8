// Motions whose state is (q, v, friction states, work), q and v as the coordinates have them.
#pragma once

#include "motions/mechanism_motion.h"

namespace bricard {

class DependentState : public MechanismMotion {
 public:
  explicit DependentState(System& system, Matrices matrices = Matrices::whole);

  int size() const override { return positions_ + velocities_ + states_ + 1; }
  void error_scales(VectorRef scales) const override;
  void interpolate(std::span<const StepPoint> points, double t, VectorRef x) override;
  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool renew(double t, VectorRef x) override;

 private:
  Vector qddot_, qdot_, q_at_;
};

}  // namespace bricard

// `independent-extended`: state (q, z'). Velocities follow from z' by [P; B] v = [-Phi_t; z'], positions are integrated
// all, and put back on the constraints after every step, every so many of them, never, or where |Phi| is above a bound.
//                                                                       [Paul 1975; Jalon-Bayo (5.58), Algorithm 5-4]
#pragma once

#include "motions/partitioned_motion.h"

namespace bricard {

class IndependentExtendedMotion : public PartitionedMotion {
 public:
  IndependentExtendedMotion(System& system, const FormulationOptions& options)
      : PartitionedMotion(system, options), interval_(options.correction_interval), bound_(options.correction_bound) {}

  int size() const override { return positions_ + freedoms() + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  bool corrects_steps() const override { return interval_ > 0; }
  StepChange after_step(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  bool renew(double t, VectorRef x) override;
  StepChange correct(double t, VectorRef x) override;

 private:
  /// Always, where there is no bound.
  bool is_above_bound(double t, ConstVector x);
  StepChange put_back(double t, VectorRef x);
  bool is_amplified(double error, double way) const;
  bool crosses();

  Vector step_, no_change_;
  Matrix last_R_;  // at the end of the last step
  int crossings_ = 0;
  int interval_;
  double bound_;
  long steps_ = 0;
};

}  // namespace bricard

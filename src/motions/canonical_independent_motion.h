// `canonical-independent`: state (q, y) with y = R^T p the momenta of the independent velocities,
//   (R^T M R) z' = y - R^T M S b,  b = -Phi_t,   v = R z' + S b
//   y' = R^T (L_q + Q_ex) + R'^T M v,   R' = -S P' R                    [Jalon-Bayo (5.111)-(5.112), Algorithm 5-7]
// With sigma = -S^T M v the second is y' = R^T (L_q + Q_ex + P'^T sigma): the rate of canonical-lagrange's momenta,
// seen by R. Algorithm 5-7 integrates z and finds q from it; here all positions are integrated, as by
// independent-extended, and put back on the constraints after each step, so that velocity-level rows are taken as well.
#pragma once

#include "motions/independent_extended_motion.h"
#include "motions/momentum_rate.h"

namespace bricard {

class CanonicalIndependentMotion : public IndependentExtendedMotion {
 public:
  CanonicalIndependentMotion(System& system, const FormulationOptions& options);

  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  void error_scales(VectorRef scales) const override;
  void show(Exhibit& exhibit) override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;

 private:
  /// [P; B] factorised and M at t and q, without forces.
  bool evaluate_matrices(double t, ConstVector q);

  MomentumRate momentum_rate_;
  Vector inertia_;
  Matrix MR_, reduced_;
  Eigen::LLT<Matrix> reduced_factor_;
  Vector no_velocities_, no_states_, no_freedoms_, right_, particular_, zdot_, momenta_, sigma_, Q_;
};

}  // namespace bricard

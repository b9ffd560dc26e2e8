// Momenta of independent velocities, y = R^T p:
//   (R^T M R) z' = y - R^T M S b,  b = -Phi_t,   v = R z' + S b
//   y' = R^T (Q + M' v) + R'^T M v,   R' = -S P' R                      [Jalon-Bayo (5.111)-(5.112), Algorithm 5-7]
// R' is never formed: with sigma = -S^T M v the second is y' = R^T (Q + M' v + P'^T sigma), the rate of
// canonical-lagrange's momenta, seen by R. Two states have them, as two states have z':
//   `canonical-independent`, (q, y): all positions are integrated, as by independent-extended, and put back on the
//     constraints after each step, so that velocity-level rows are taken as well;
//   `canonical-reduced`, (z, y): as the book has it; q follows from z by Newton-Raphson, as by independent.
// y has no meaning without its R: with another choice of z it is R_new^T M v.
#pragma once

#include <type_traits>

#include "motions/independent_extended_motion.h"
#include "motions/independent_motion.h"
#include "motions/momentum_rate.h"

namespace bricard {

/// Positions are those of `Base`, velocities and their rates are not.
template <class Base>
class IndependentMomenta : public Base {
 public:
  IndependentMomenta(System& system, const FormulationOptions& options);

  Status derivative(double t, ConstVector x, VectorRef xdot) override { return evaluate(t, x, xdot, false); }
  /// Also accelerations and multipliers, of which the motion itself seldom needs any.
  Status observe(double t, ConstVector x, VectorRef xdot) override { return evaluate(t, x, xdot, true); }
  void interpolate(std::span<const StepPoint> points, double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;
  void show(Exhibit& exhibit) override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;

 private:
  static constexpr bool has_all_positions = std::is_same_v<Base, IndependentExtendedMotion>;
  /// Of y in the state.
  int first() const { return has_all_positions ? this->positions_ : this->freedoms(); }

  Status evaluate(double t, ConstVector x, VectorRef xdot, bool observed);
  /// [P; B] factorised and M at t and q.
  bool evaluate_matrices(double t, ConstVector q);

  MomentumRate momentum_rate_;
  Vector inertia_;
  Matrix MR_, reduced_;
  Eigen::LLT<Matrix> reduced_factor_;
  Vector no_freedoms_, right_, particular_, zdot_, momenta_, sigma_, Q_, rate_;
};

using CanonicalIndependentMotion = IndependentMomenta<IndependentExtendedMotion>;
using CanonicalReducedMotion = IndependentMomenta<IndependentMotion>;

}  // namespace bricard

// Motion in canonical momenta: state (q, p, integrals, friction states, work) with
//   p = M v + P^T sigma,   p' = Q + M' v + P'^T sigma,   lambda = sigma'                   [Jalon-Bayo (5.100)-(5.101)]
// What canonical-lagrange and canonical-augmented share; they differ in how v and sigma follow from p.
// The stated differentiation of sigma costs one more right-hand side: with M v + P^T sigma = p differentiated along the
// motion, M v' + P^T sigma' = p' - M' v - P'^T sigma = Q and P v' = gamma, in the matrix that v and sigma were found
// with. (Of redundant rows, the sigma' of least norm.)
// The part P^T sigma of p is a convention: sigma may start anywhere, and starts at zero. It grows with time as the
// reactions push, and takes digits from M v: see renew().
#pragma once

#include <memory>
#include <string>

#include "dynamics/whole.h"
#include "motions/mechanism_motion.h"
#include "motions/momentum_rate.h"
#include "stabilization/stabilization.h"

namespace bricard {

class CanonicalMotion : public MatrixMotion {
 public:
  int size() const override { return positions_ + velocities_ + integrals_ + states_ + 1; }
  Status derivative(double t, ConstVector x, VectorRef xdot) override;
  /// Also accelerations and multipliers, of which the motion itself seldom needs any.
  Status observe(double t, ConstVector x, VectorRef xdot) override;
  bool corrects_steps() const override { return stabilization_->corrects(); }
  StepChange after_step(double t, VectorRef x) override;
  void error_scales(VectorRef scales) const override;

  void pack(double t, ConstVector q, ConstVector v, VectorRef x) override;
  Status unpack(double t, ConstVector x, Vector& q, Vector& v) override;
  /// Also starts sigma at zero again when it has become large.
  bool renew(double t, VectorRef x) override;
  /// Momenta keep their part P^T sigma; integrals of constraint errors start at zero again.
  StepChange correct(double t, VectorRef x) override;
  void forget_instant() override { is_solved_ = false; }
  std::string report() const override;
  void show(Exhibit& exhibit) override;

  /// sigma of the last derivative().
  const Vector& momentum_multipliers() const { return sigma_; }

 protected:
  /// `solver` finds v and sigma as it finds v' and lambda.
  CanonicalMotion(System& system, const FormulationOptions& options, std::unique_ptr<Formulation> solver,
                  std::unique_ptr<Stabilization> stabilization, int integrals);

  /// v and sigma_ of momenta and integrals; eq_ holds M, P, Phi and Phi_t.
  virtual Status find_velocities(ConstVector p, ConstVector integrals, VectorRef v);
  /// Called once before accelerations are solved for; eq_ is complete.
  virtual Status prepare_accelerations() { return Status::ok; }
  /// Rates of the integrals; eq_ is complete.
  virtual void integral_rates(VectorRef rates) const { (void)rates; }
  /// What p' has beside p' = Q + M' v + P'^T sigma; eq_ holds P, Phi and Phi_dot.
  virtual void add_feedback(VectorRef pdot) { (void)pdot; }
  Status factorize();

  Formulation& solver() { return whole_.formulation(); }

  Whole whole_;  // whose formulation is the solver
  Vector sigma_;

 private:
  Status find_accelerations(const Vector& Q);
  Status evaluate(double t, ConstVector x, VectorRef xdot, bool observed);
  Status solve(double t, ConstVector x, ConstVector q, VectorRef v);
  void scale_momenta(VectorRef scales) const;
  /// p of x becomes M v + P^T sigma_ at other q and v.
  void replace(double t, ConstVector q, ConstVector v, VectorRef x);

  std::unique_ptr<Stabilization> stabilization_;
  MomentumRate momentum_rate_;
  int integrals_;
  // The end of a step is the start of the next: v and sigma_, and the solver's factors, are known there.
  bool is_solved_ = false;
  double solved_t_ = 0;
  Vector solved_x_, solved_v_;
  Vector inertia_;
  Vector scratch_, right_, Q_, momenta_;
};

}  // namespace bricard

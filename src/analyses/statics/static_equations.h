// The equations of rest, free of units:
//   r(q, mu) = Ps^T mu - b(q) = 0,   Phi(q) = 0        at v = 0, t = 0
//   b = S Q / (F L),   Ps = R^-1 P S,   mu = R lambda / (F L),   displacement xi = S u
// with S the model's length L for translations and 1 for rotations, F a force typical of the model, and R the lengths
// of the rows of P S. Velocity-level rows forbid displacements and so carry loads, but have no Phi. Their tangent
//   H = dr/du at constant mu
// comes from central differences along q = advance(q, S u); Ps is exact.
#pragma once

#include <memory>

#include "integrators/dae/dae_differences.h"
#include "linear/kkt_solver.h"
#include "system/system.h"

namespace bricard {

inline constexpr double row_relaxation = 1e-12;  // so that redundant rows do no harm

class StaticEquations {
 public:
  /// (q): an assembled position. `seed` chooses the positions nearby at which the pattern of H is looked for.
  StaticEquations(System& system, const Vector& q, unsigned seed);

  System& system() { return system_; }
  int displacements() const { return n_; }
  int rows() const { return m_; }
  double length() const { return length_; }
  double force() const { return force_; }

  // --- positions ---
  void advance(Vector& q, const Vector& u) const;
  Vector difference(const Vector& q0, const Vector& q1) const;

  /// False if a force is not a number there.
  bool evaluate(const Vector& q);
  /// Angles are counted over full turns from here on.
  void accept() { system_.accept(0); }

  // --- of the last evaluation ---
  const Equations& equations() const { return eq_; }
  const Vector& b() const { return b_; }
  const SparseRows& Ps() const { return Ps_; }
  const Vector& Phi() const { return Phi_; }
  /// mu that leaves least of r, without those combinations of redundant rows that do nothing.
  void multipliers(Vector& mu);
  Vector lambda(const Vector& mu) const { return force_ * length_ * mu.cwiseQuotient(row_length_); }

  /// Moves q to where the constraints are satisfied, by least corrections; false if it cannot.
  bool close(Vector& q);

  /// H at (q, mu); evaluates there last.
  bool tangent(const Vector& q, const Vector& mu);
  const SparseColumns& H() const { return H_; }
  double largest_stiffness() const;
  /// What rounding errors leave of r and Phi, once H is known.
  double noise(const Vector& mu) const;

 private:
  void find_pattern(const Vector& q, unsigned seed);
  DifferenceJacobian::Function residual_near(const Vector& q, const Vector& mu);

  System& system_;
  int n_, m_;
  double length_, force_ = 1;
  Vector scale_, row_length_;  // S, R
  Equations eq_;
  Vector no_velocity_, no_states_;
  Vector b_, Phi_, trial_, increments_;
  SparseRows Ps_;
  SparseColumns identity_, H_;
  DifferenceJacobian jacobian_;
  std::unique_ptr<KktSolver> rows_solver_;  // [I Ps^T; Ps 0]
  Vector displacement_, multipliers_;
};

}  // namespace bricard

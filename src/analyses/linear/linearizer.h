// The matrices of linearization.h from the equations at a state. With D[.] for derivatives along Z (velocities held),
// rows P extended by those of named coordinates where such are chosen:
//   dv = Y y + W z,   W = -P^+ D[Phi_dot]                                   P dv + D[Phi_dot] z = 0
//   da = Y u + B,     B = P^+ (D[gamma - P a] z + gamma_v dv)               P da = ...
//   X^T M Y u = X^T (D[Q - M a - P^T lambda] z + Q_v dv + Q_s s - M B),     X^T (P^T - Q_lambda) = 0
// X is Y unless friction depends on loads. Along the motion the bases change: with Z' and Y' turning by S_w in the null
// spaces and Y^T G W = 0 throughout,
//   z' = Z^T G (dv + (Omega - S_w) Z z)
//   y' = u - Y^T G S_w Y y - (P^+ P' Y)^T G W z
// Named coordinates are functions of the position: z' = y and y' = u.
#pragma once

#include "analyses/linear/linearization.h"
#include "analyses/run/turning.h"

namespace bricard {

/// Bases of displacements and speeds to stay near to, in axes turning with w.
struct NearbyBasis {
  Matrix Z, Y;
  Vec3 w;
};

class Linearizer {
 public:
  Linearizer(LocalEquations& equations, const NamedCoordinates& named) : equations_(equations), named_(named) {}

  /// `near`: may be null; else a basis of the same sizes.
  Linearization run(const NearbyBasis* near);
  /// True if, at this instant, nothing changes but by turning as a whole.
  bool may_be_steady() const { return may_be_steady_; }

 private:
  bool choose_bases(const NearbyBasis* near);
  bool is_singular_position();
  void project();
  void find_states();
  void fix_gauge(const NearbyBasis* near);
  void fill_state_matrix();
  double pace() const;
  double rate() const;
  void estimate_error();

  LocalEquations& equations_;
  const NamedCoordinates& named_;
  ConstraintInverse stacked_;  // of the rows with the named coordinates' below
  Matrix X_;
  LocalEquations::Derivatives displaced_, sped_, carried_, stated_, loaded_;
  bool load_changes_ = false;
  Matrix Uz_, Uy_, Us_;  // u = Uz z + Uy y + Us s
  Matrix Bz_, By_;
  Matrix zz_, zy_;       // z' = zz z + zy y
  Matrix sz_, sy_, ss_;  // s' = ..
  bool may_be_steady_ = false;
  Linearization result_;
};

}  // namespace bricard

// Derivatives of the equations of motion, sparse, with a pattern found once:
//   r = M v' + P^T lambda - Q:   K = dr/dq,  C = dr/dv
//   Phi_dot = P v + Phi_t:       dPhi_dot/dq          (dPhi_dot/dv = P)
//   G = P v' - gamma:            dG/dq,  dG/dv        (dG/dv' = P)
// Positions are displaced in velocity coordinates (Coordinates::advance). Elements give 3 x 3 blocks between markers
// (LoadCouplings, RowsTangent). With twists as velocity coordinates (body_twists.h) a displacement (d, theta) of a body
// moves a point by d + theta x s and its rate by omega x (theta x s), and a load F on it acts with the moment s x F, so
//   dr = .. - [I; [s]] dF - [0; [F][s]] theta
// with dF = H (d - [s] theta) - D [omega][s] theta for blocks H = dF/dx, D = dF/dx'. Of inertia, J in world axes,
//   d(J alpha + omega x J omega)/dtheta = J[alpha] - [J alpha] + [omega](J[omega] - [J omega]),
//   d(..)/domega = [omega] J - [J omega].                                     [Nikravesh 1988, chapter 6, linearised]
// exact() is false for other coordinates, constraints by formulas of velocities, and friction that depends on loads or
// has states: then only the pattern is known, which makes difference quotients cheap.
#pragma once

#include <vector>

#include "joints/rows_tangent.h"
#include "system/system.h"

namespace bricard {

class Tangent {
 public:
  explicit Tangent(const System& system);

  bool exact() const { return exact_; }
  /// False for coordinates in which inertia couples what no element does.
  bool has_pattern() const { return has_pattern_; }

  // --- if exact(): at the state of the system's last evaluation of forces ---
  /// K and C.
  void update(double t, ConstVector vdot, ConstVector lambda);
  /// The derivatives of Phi_dot and G.
  void update_rows(double t, ConstVector vdot);

  const SparseColumns& K() const { return K_; }
  const SparseColumns& C() const { return C_; }  // the same pattern
  const SparseRows& Phi_dot_q() const { return Phi_dot_q_; }
  const SparseRows& G_q() const { return G_q_; }
  const SparseRows& G_v() const { return G_v_; }

 private:
  /// Where a coupling goes: the first entry of a block of K and the distance of its columns; -1 for the ground.
  struct Place {
    int first, stride;
  };
  class Pattern;
  class Blocks;

  void build_pattern();
  void find_places(const std::vector<std::pair<int, int>>& couplings);
  void set_kinematics(ConstVector vdot);
  void couple(double t, ConstVector lambda, LoadCouplings& couplings);
  void add_inertia();
  void add_loads(ConstVector lambda);
  Place place(int body, int other) const;

  const System& system_;
  const Markers& markers_;
  RowsTangent rows_;
  bool twists_, exact_ = true, has_pattern_ = true;
  int bodies_, velocities_;  // velocity coordinates of a body, if they are twists
  SparseColumns K_, C_;
  SparseRows Phi_dot_q_, G_q_, G_v_;
  std::vector<Place> places_, diagonal_;
  std::vector<int> row_places_;                    // of the entries of rows_ in the matrices by rows; -1 for the ground
  std::vector<Vec3> lever_, load_, acceleration_;  // of markers
  std::vector<Vec3> omega_, alpha_;                // of bodies
};

}  // namespace bricard

// Derivatives of the rows: how their loads P^T lambda change with the markers, and how Phi_dot and
//   G = P v' - gamma = Phi_dot'
// depend on values x, rates x' and accelerations x'' of the markers. For a row of positions with gradients g,
//   dPhi_dot/dx = g',   dG/dx = g'',   dG/dx' = 2 g',   dG/dx'' = g,
// for one of velocities, psi(x, x') with gradients A = dpsi/dx',
//   dG/dx = (dpsi/dx)',   dG/dx' = dpsi/dx + A',   dG/dx'' = A.
#pragma once

#include "coordinates/load_couplings.h"
#include "joints/rows.h"

namespace bricard {

class RowsTangent {
 public:
  explicit RowsTangent(const Rows& rows);

  /// False if rows have no closed form here: formulas of velocities.
  bool exact() const { return exact_; }
  /// Derivatives of -lambda times the gradients. Of rows without a closed form only the pattern, with zeros.
  void couple(double t, const Markers& markers, const Signals& signals, ConstVector lambda, LoadCouplings& couplings);

  /// Of one row with respect to one marker.
  struct Entry {
    int row, marker;
    Vec3 of_rate;          // dPhi_dot/dx
    Vec3 of_value;         // dG/dx
    Vec3 of_velocity;      // dG/dx'
    Vec3 of_acceleration;  // dG/dx'' = dPhi_dot/dx'
  };
  const std::vector<Entry>& entries() const { return entries_; }
  /// All entries, while the markers have these accelerations.
  void update(double t, const Markers& markers, const Signals& signals, const std::vector<Vec3>& accelerations);

 private:
  void couple_formula(const Rows::Formula& row, double t, const Markers& markers, const Signals& signals, double lambda,
                      LoadCouplings& couplings);
  void couple_rolling(const Rows::Rolling& row, const Markers& markers, ConstVector lambda, LoadCouplings& couplings);
  /// `extra`: axis, normal and tangent of both rows of slip.
  void update_rolling(const Rows::Rolling& row, const Markers& markers, const std::vector<Vec3>& accelerations,
                      Entry* extra);
  void set(int entry, const Vec3& g, const Vec3& g1, const Vec3& g2);
  void update_signal(int entry, int signal, const Jet& factor, const Markers& markers, const Signals& signals,
                     const std::vector<Vec3>& accelerations);

  const Rows& rows_;
  bool exact_ = true;
  std::vector<Entry> entries_;  // those of the rows, then what directions of velocity-level rows depend on
  std::vector<double> second_, rates_, accelerations_;  // workspaces of formulas
  std::vector<Jet> jets_;
};

}  // namespace bricard

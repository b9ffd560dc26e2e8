// What `auto` wants to know of the state at which a run starts, beyond the counts of Structure.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "analyses/structure/structure.h"

namespace bricard {

/// Coordinates; dense rank-revealing methods are cubic in their number.
inline constexpr int largest_dense_start = 150;

struct StartTraits {
  /// Smallest over largest singular value of the dimensionless constraints, those beyond the rank left out: 0 at a
  /// singular position, where the rank would fall; 0.05 to 1 for the shipped models. 1 without constraints; -1 if not
  /// measured (large systems).
  double singular_value = -1;
  bool is_near_singular_position() const { return singular_value >= 0 && singular_value < 1e-3; }
  /// Rank of the constraints at positions beside the start, -1 if not measured. Larger than Structure::rank: the start
  /// itself is a singular position.
  int rank_beside = -1;
  bool is_singular_position(const Structure& structure) const { return rank_beside > structure.rank; }
  /// Of x' = f(t, x), the outer ones, in 1/s; empty if not measured (near singular positions they mean nothing). The
  /// second ones: as if it had gained speed there.
  std::vector<std::complex<double>> eigenvalues, moving_eigenvalues;
  /// Rate of the motion itself: of its velocities over its size, and what its accelerations make of them, 1/s.
  double pace = 0;
};

/// Evaluates `system` some sixty times at and near the state.
StartTraits measure_start(System& system, const Structure& structure, ConstVector q, ConstVector v);

}  // namespace bricard

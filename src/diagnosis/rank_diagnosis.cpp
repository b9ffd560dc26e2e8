#include "diagnosis/rank_diagnosis.h"

#include <algorithm>
#include <cmath>

#include "analyses/assembly/nearby_positions.h"
#include "formulations/formulation.h"
#include "linear/minimum_norm.h"
#include "linear/rank_threshold.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

constexpr double threshold_beside = 1e-7;
constexpr int largest_dense = 300;

/// Where the mechanism goes from here: its velocities, or its accelerations from rest.
Vector direction_of_motion(System& system, const Equations& eq, ConstVector v) {
  if (!v.isZero()) return v;
  const auto formulation =
      find_formulation_type("nullspace-svd")->create(eq, {.typical_inertia = typical_inertia(system)});
  Vector vdot = Vector::Zero(v.size()), lambda = Vector::Zero(eq.rows());
  if (formulation->factorize(eq) != Status::ok || formulation->solve(eq.Q, eq.gamma, vdot, lambda) != Status::ok)
    return v;
  return vdot;
}

}  // namespace

RankDiagnosis diagnose_rank(System& system, ConstVector q, ConstVector v) {
  RankDiagnosis d;
  Equations eq = system.empty_equations();
  const Vector states = Vector::Zero(system.state_size());
  system.evaluate(0, q, v, states, Upto::dynamics, eq);
  d.rows = system.row_count();
  const int n = system.velocity_size();
  if (d.rows == 0 || n == 0) {
    d.measured = true;
    return d;
  }
  if (n > largest_dense || d.rows > 2 * largest_dense) {
    MinimumNorm factor;
    factor.factorize(dimensionless_rows(eq.P, typical_inertia(system)), rank_threshold);
    d.rank = d.generic_rank = factor.rank();
    return d;
  }
  d.measured = true;
  NearbyPositions positions(system, q, v);
  positions.evaluate(q);
  d.rank = d.generic_rank = positions.rank(rank_threshold);
  d.singular_values = positions.singular_values() / std::max(positions.singular_values()[0], 1e-300);
  if (d.rank > 0) d.smallest_counted = d.singular_values[d.rank - 1];
  if (d.rank < d.singular_values.size()) d.largest_neglected = d.singular_values[d.rank];

  // Of the positions of the largest rank the one is kept that is farthest from a singular position. A step aside may
  // lead back to one: there errors of the constraints are squares of the distance, and vanish before it does.
  Vector aside(q.size());
  int beside_rank = -1;
  double beside_nearness = 0;
  const auto look = [&] {
    ++d.positions_tested;
    const int rank = positions.rank(threshold_beside);
    const Vector& values = positions.singular_values();
    const double nearness = rank > 0 ? values[rank - 1] / values[0] : 0;
    d.nearness_beside = std::max(d.nearness_beside, nearness);
    if (rank > beside_rank || (rank == beside_rank && nearness > beside_nearness)) {
      d.beside = aside;
      beside_rank = rank;
      beside_nearness = nearness;
    }
    d.generic_rank = std::max(d.generic_rank, rank);
  };
  for (unsigned seed = 1; seed <= 4; ++seed) {
    if (d.rank < n && positions.step_aside(q, seed <= 2 ? 1e-3 : 1e-2, seed, aside)) look();
  }
  const Vector direction = direction_of_motion(system, eq, v);
  if (direction.allFinite() && !direction.isZero()) {
    // Drives go on with the motion; from rest they wait.
    const double seconds = v.isZero() ? 0 : 3e-3 / positions.size_of(direction);
    Vector from = q;
    for (int step = 1; step <= 3; ++step) {
      positions.set_time(step * seconds);
      if (!positions.step_along(from, direction, 3e-3, aside)) break;
      look();
      from = aside;
    }
  }
  if (beside_rank < d.generic_rank) d.beside.resize(0);
  if (d.generic_rank > 0) d.nearness = d.singular_values[d.generic_rank - 1];
  system.evaluate(0, q, v, states, Upto::dynamics, eq);
  return d;
}

}  // namespace bricard

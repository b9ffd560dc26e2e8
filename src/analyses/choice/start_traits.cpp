#include "analyses/choice/start_traits.h"

#include <cmath>

#include "analyses/assembly/nearby_positions.h"
#include "analyses/linear/stiffness.h"
#include "motions/create_motion.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

void measure_constraints(System& system, const Structure& s, ConstVector q, ConstVector v, StartTraits& traits) {
  if (s.rank == 0) {
    traits.singular_value = 1;
    traits.rank_beside = 0;
    return;
  }
  if (s.coordinates > largest_dense_start || s.constraints > 2 * largest_dense_start) return;
  NearbyPositions constraints(system, q, v);
  constraints.evaluate(q);
  const Vector values = constraints.singular_values();
  traits.singular_value = values[s.rank - 1] / values[0];
  // Rows that depend on each other here may do so only here.
  traits.rank_beside = s.rank;
  if (s.rank == s.constraints) return;
  Vector aside(q.size());
  for (unsigned seed = 1; seed <= 3; ++seed) {
    if (constraints.step_aside(q, 1e-3, seed, aside))
      traits.rank_beside = std::max(traits.rank_beside, constraints.rank(1e-7));
  }
}

bool bodies_fit(const System& system, int redundant) {
  return find_dynamics_type("bodies")->misfit(system, redundant).empty() &&
         !(redundant > 0 && system.friction_depends_on_load());
}

/// Accelerations for changes of x that the constraints allow.
std::unique_ptr<MechanismMotion> allowed_motion(System& system, int redundant, ConstVector q, ConstVector v) {
  return create_motion({.system = system,
                        .formulation = *find_formulation_type(redundant > 0 ? "nullspace-svd" : "lagrange"),
                        .options = {.typical_inertia = typical_inertia(system), .redundant = redundant},
                        .stabilization = find_stabilization_type("projection")->create(system, {}),
                        .q = Vector(q),
                        .v = Vector(v),
                        .dynamics = *find_dynamics_type(bodies_fit(system, redundant) ? "bodies" : "whole"),
                        .within_steps = true});
}

void measure_rates(System& system, const Structure& s, ConstVector q, ConstVector v, StartTraits& traits) {
  const bool rank_deficient = s.rank < s.constraints;
  if (rank_deficient && s.coordinates > largest_dense_start && !bodies_fit(system, s.constraints - s.rank)) return;
  const std::unique_ptr<MechanismMotion> allowed = allowed_motion(system, s.constraints - s.rank, q, v);
  MechanismMotion& motion = *allowed;
  Vector x(motion.size()), xdot(motion.size()), scales(motion.size());
  motion.pack(0, q, v, x);
  if (motion.derivative(0, x, xdot) != Status::ok) return;
  motion.error_scales(scales);
  const auto of_velocities = [&](const Vector& of) {
    return of.segment(q.size(), v.size()).cwiseQuotient(scales.segment(q.size(), v.size()));
  };
  if (v.size() > 0) {
    traits.pace =
        std::max(of_velocities(x).lpNorm<Eigen::Infinity>(), std::sqrt(of_velocities(xdot).lpNorm<Eigen::Infinity>()));
  }
  // Without forces nothing damps, and weights alone make no motion stiff: large models need not be asked.
  if (s.coordinates > largest_dense_start && !system.has_forces() && system.friction().empty()) return;
  traits.eigenvalues = outer_eigenvalues(motion, 0, x);
  if (traits.pace == 0) return;
  // Once it has gained speed: what resists motion (bristles of friction, nonlinear dampers) may be stiff only then.
  motion.derivative(0, x, xdot);
  x.segment(q.size(), v.size()) += xdot.segment(q.size(), v.size()) / traits.pace;
  traits.moving_eigenvalues = outer_eigenvalues(motion, 0, x);
}

}  // namespace

StartTraits measure_start(System& system, const Structure& structure, ConstVector q, ConstVector v) {
  StartTraits traits;
  measure_constraints(system, structure, q, v, traits);
  // Near singular positions the accelerations change abruptly, and their derivatives say nothing.
  if (!traits.is_singular_position(structure) && !traits.is_near_singular_position())
    measure_rates(system, structure, q, v, traits);
  // The system is left where it starts.
  Equations equations = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::dynamics, equations);
  return traits;
}

}  // namespace bricard

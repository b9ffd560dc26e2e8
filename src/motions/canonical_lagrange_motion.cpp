#include "motions/canonical_lagrange_motion.h"

#include "linear/minimum_norm.h"
#include "motions/create_motion.h"

namespace bricard::motions {
namespace {

constexpr int largest_fallback = 120;  // unknowns: a pseudoinverse costs their cube

/// Rows that depend on each other, judged in dimensionless velocities.
bool has_redundant_rows(const MotionSetting& s) {
  Equations eq = s.system.empty_equations();
  s.system.evaluate(0, s.q, s.v, Vector::Zero(s.system.state_size()), Upto::velocities, eq);
  const SparseRows scaled = eq.P * s.options.typical_inertia.cwiseSqrt().cwiseInverse().asDiagonal();
  MinimumNorm rows;
  rows.factorize(scaled, 1e-8);
  return rows.rank() < eq.rows();
}

}  // namespace

std::unique_ptr<MechanismMotion> momenta(MotionSetting setting) {
  System& system = setting.system;
  require_linear_rows(system, setting.q, setting.v, setting.formulation.name);
  const auto create = [&](const char* name) {
    return find_formulation_type(name)->create(system.empty_equations(), setting.options);
  };
  const bool redundant = has_redundant_rows(setting);
  const bool has_fallback = !redundant && system.velocity_size() + system.row_count() <= largest_fallback;
  return std::make_unique<CanonicalLagrangeMotion>(
      system, setting.options, create(redundant ? "lagrange-pseudoinverse" : "lagrange"),
      has_fallback ? create("lagrange-pseudoinverse") : nullptr, std::move(setting.stabilization));
}

}  // namespace bricard::motions

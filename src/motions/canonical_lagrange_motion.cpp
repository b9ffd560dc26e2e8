#include "motions/canonical_lagrange_motion.h"

#include "linear/minimum_norm.h"
#include "motions/create_motion.h"

namespace bricard::motions {
namespace {

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
  const bool robust = setting.by_pseudoinverse || has_redundant_rows(setting);
  return std::make_unique<CanonicalLagrangeMotion>(system, setting.options,
                                                   create(robust ? "lagrange-pseudoinverse" : "lagrange"),
                                                   std::move(setting.stabilization));
}

}  // namespace bricard::motions

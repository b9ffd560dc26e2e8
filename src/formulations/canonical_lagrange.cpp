// `canonical-lagrange`: state (q, p) of positions and canonical momenta.      [Lankarani-Nikravesh 1988; Jalon-Bayo
// Algorithm 5-6]
#include "formulations/formulation.h"
#include "linear/minimum_norm.h"
#include "motions/canonical_lagrange_motion.h"

namespace bricard::formulations {
namespace {

constexpr int largest_fallback = 120;  // unknowns: a pseudoinverse costs their cube

/// Rows that depend on each other, judged in dimensionless velocities.
bool has_redundant_rows(System& system, const FormulationOptions& options, ConstVector q, ConstVector v) {
  Equations eq = system.empty_equations();
  system.evaluate(0, q, v, Vector::Zero(system.state_size()), Upto::velocities, eq);
  const SparseRows scaled = eq.P * options.typical_inertia.cwiseSqrt().cwiseInverse().asDiagonal();
  MinimumNorm rows;
  rows.factorize(scaled, 1e-8);
  return rows.rank() < eq.rows();
}

std::unique_ptr<MechanismMotion> create_motion(System& system, const FormulationOptions& options,
                                               std::unique_ptr<Stabilization> stabilization, ConstVector q,
                                               ConstVector v) {
  require_linear_rows(system, q, v, "canonical-lagrange");
  const auto create = [&](const char* name) {
    return find_formulation_type(name)->create(system.empty_equations(), options);
  };
  const bool redundant = has_redundant_rows(system, options, q, v);
  const bool has_fallback = !redundant && system.velocity_size() + system.row_count() <= largest_fallback;
  return std::make_unique<CanonicalLagrangeMotion>(
      system, options, create(redundant ? "lagrange-pseudoinverse" : "lagrange"),
      has_fallback ? create("lagrange-pseudoinverse") : nullptr, std::move(stabilization));
}

}  // namespace

FormulationType canonical_lagrange() {
  return {.name = "canonical-lagrange",
          .description = "canonical momenta, with Lagrange multipliers of velocities; constraints differentiated once",
          .source = "Lankarani, Nikravesh 1988; Jalon-Bayo (5.100)-(5.103), Algorithm 5-6",
          .traits = {.redundant_rows = true,
                     .singular_mass = true,
                     .feedback = false,
                     .rates_only = true,
                     .cost = "as lagrange and six evaluations of P; redundant rows: cubic (dense)"},
          .create_motion = create_motion};
}

}  // namespace bricard::formulations

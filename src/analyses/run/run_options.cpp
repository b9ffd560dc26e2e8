#include "analyses/run/run_options.h"

#include <algorithm>

#include "analyses/choice/given_coordinates.h"
#include "analyses/choice/row_gains.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

/// B of independent coordinates that are given by hand; empty: they are chosen.
Matrix given_or_none(const System& system, const Method& method) {
  return gives_coordinates(method.selection) ? given_coordinates(system, method.selection) : Matrix();
}

}  // namespace

double threshold_for(const Method& method, const FormulationType& formulation) {
  const bool may_rise = method.rescue == "on" && !method.threshold_fixed.value_or(false);
  return may_rise ? std::max(method.threshold, formulation.traits.smallest_rank_threshold) : method.threshold;
}

FormulationOptions formulation_options(const System& system, const Method& method, const FormulationType& formulation,
                                       int redundant) {
  FormulationOptions options = {.pseudoinverse = method.pseudoinverse,
                                .greville = method.greville,
                                .threshold = threshold_for(method, formulation),
                                .threshold_is_absolute = method.threshold_kind == "absolute",
                                .threshold_is_fixed = method.threshold_fixed.value_or(false),
                                .reuse = method.reuse,
                                .selection = method.selection,
                                .independent = given_or_none(system, method),
                                .keep_partition = method.partition == "once",
                                .renew_by_speed = method.renewal == "speed",
                                .hysteresis = method.hysteresis,
                                .carry_history = method.carry_history.value_or(false),
                                .partition_basis = method.projection_basis == "partition",
                                .position_tolerance = method.position_tolerance,
                                .correction_interval = static_cast<int>(method.correction_interval),
                                .correction_bound = method.correction_bound,
                                .penalty = method.penalty,
                                .penalty_is_relative = method.penalty_kind == "relative",
                                .omega = method.omega,
                                .mu = method.mu,
                                .iterations = static_cast<int>(method.iterations),
                                .iteration_tolerance = method.iteration_tolerance,
                                .canonical_form = method.canonical_form,
                                .typical_inertia = typical_inertia(system),
                                .redundant = redundant};
  GainsByRow gains = gains_by_row(system, method);
  options.row_penalty = std::move(gains.penalty);
  options.row_omega = std::move(gains.omega);
  options.row_mu = std::move(gains.mu);
  for (const RowInfo& row : system.rows()) options.velocity_rows.push_back(row.velocity_level);
  return options;
}

std::unique_ptr<Stabilization> create_stabilization(System& system, const Method& method) {
  const GainsByRow gains = gains_by_row(system, method);
  const GainRule rule = method.gains == "stability"  ? GainRule::stability
                        : method.gains == "adaptive" ? GainRule::adaptive
                                                     : GainRule::fixed;
  const double limit = find_integrator_type(method.integrator)->real_stability;
  return find_stabilization_type(method.stabilization)
      ->create(system, {.alpha = method.alpha,
                        .beta = method.beta,
                        .selection = method.selection,
                        .independent = given_or_none(system, method),
                        .keep_partition = method.partition == "once",
                        .hysteresis = method.hysteresis,
                        .row_alpha = gains.alpha,
                        .row_beta = gains.beta,
                        .gains = rule,
                        .stable_gain = rule == GainRule::stability ? method.gain_fraction * limit : limit,
                        .step = method.step,
                        .threshold = method.threshold,
                        .bound = method.hybrid_bound});
}

IntegratorOptions integrator_options(const Method& method, double tolerance) {
  return {.tolerance = tolerance,
          .step = method.step,
          .spectral_radius = method.spectral_radius,
          .penalty = method.penalty,
          .penalty_is_relative = method.penalty_kind == "relative",
          .iterations = static_cast<int>(method.iterations),
          .canonical_form = method.canonical_form};
}

std::unique_ptr<Integrator> create_integrator(System& system, const Method& method, double tolerance) {
  const IntegratorType& type = *find_integrator_type(method.integrator);
  const IntegratorOptions options = integrator_options(method, tolerance);
  return type.create_for ? type.create_for(system, options) : type.create(options);
}

}  // namespace bricard

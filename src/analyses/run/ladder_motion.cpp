#include "analyses/run/ladder_motion.h"

#include <fmt/format.h>

#include "analyses/choice/choose_state.h"
#include "analyses/run/budget.h"
#include "analyses/run/run_options.h"
#include "analyses/run/run_statistics.h"
#include "bricard/input_error.h"
#include "motions/create_motion.h"

namespace bricard {
namespace {

std::vector<Rung> ladder_for(const PreparedRun& prepared, const Method& method, const Summary& summary) {
  const Structure& structure = summary.structure;
  return ladder_of({.setting = {.system = *prepared.system,
                                .formulation = *find_formulation_type(method.formulation),
                                .stabilization = *find_stabilization_type(method.stabilization),
                                .integrator = *find_integrator_type(method.integrator),
                                .method = method,
                                .redundant = structure.constraints - prepared.generic_rank},
                    .engine = find_dynamics_type(method.dynamics),
                    .redundant_at_start = structure.rank < structure.constraints,
                    .singular_start = structure.rank < prepared.generic_rank,
                    .engine_is_free = prepared.dynamics_were_free,
                    .formulation_is_free = summary.chosen.formulation_was_free});
}

/// Dense formulations take cubic time at every evaluation, of which the shortest run has some hundreds.
void check_formulation(const System& system, const Method& method) {
  const FormulationType& formulation = *find_formulation_type(method.formulation);
  if (!std::string_view(formulation.traits.cost).starts_with("cubic")) return;
  const int n = system.velocity_size();
  check_dense({.what = fmt::format("a run of {} coordinates by {}", n, formulation.name),
               .seconds_per_cube = 5e-9,
               .matrices = 8,
               .size = static_cast<double>(n),
               .times = 500,
               .usual_time_limit = 3600},
              method.time_limit, method.memory_limit);
}

}  // namespace

LadderMotion::LadderMotion(const PreparedRun& prepared, const Method& method, Summary& summary)
    : system_(*prepared.system),
      method_(method),
      summary_(summary),
      redundant_(summary.structure.constraints - prepared.generic_rank),
      ladder_(ladder_for(prepared, method, summary)) {
  check_formulation(system_, method_);
  const FormulationType& formulation = *ladder_[rung_].formulation;
  if (const double raised = threshold_for(method, formulation); raised > method.threshold) {
    summary_.rescues.push_back(
        {0, fmt::format("the rank threshold {:g} is raised to {:g}: {} cannot tell smaller pivots from rounding",
                        method.threshold, raised, formulation.name)});
  }
  create_motion(prepared.assembly.q, prepared.assembly.v);
  summary_.dynamics = engine_text();
  integrator_ = create_integrator(system_, method_, summary_.chosen.step_tolerance);
}

void LadderMotion::create_motion(const Vector& q, const Vector& v) {
  const Rung& rung = ladder_[rung_];
  motion_ = bricard::create_motion({.system = system_,
                                    .formulation = *rung.formulation,
                                    .options = formulation_options(system_, method_, *rung.formulation, redundant_),
                                    .stabilization = create_stabilization(system_, method_),
                                    .q = q,
                                    .v = v,
                                    .state = state_of(method_, *rung.formulation),
                                    .dynamics = *rung.dynamics,
                                    .proximal = rung.proximal,
                                    .within_steps = rung.within_steps,
                                    .by_pseudoinverse = rung.by_pseudoinverse});
  if (!motion_) throw InputError("no independent coordinates can be chosen at the start: is it a singular position?");
}

std::string LadderMotion::engine_text() const {
  return describe(*ladder_[rung_].dynamics, system_, *ladder_[rung_].formulation,
                  *find_integrator_type(method_.integrator));
}

void LadderMotion::take_next_rung(double t, const Vector& q, const Vector& v) {
  const std::string before = engine_text();
  ++rung_;
  create_motion(q, v);
  if (const std::string now = engine_text(); now != before)
    summary_.dynamics += fmt::format("; from t = {:.6g} s {}", t, now);
}

void LadderMotion::relax(double factor) {
  add_counts(integrator_->counts(), summary_);
  integrator_ = create_integrator(system_, method_, factor * summary_.chosen.step_tolerance);
  relaxation_ = factor;
}

}  // namespace bricard

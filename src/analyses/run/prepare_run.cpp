#include "analyses/run/prepare_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyses/assembly/assembly.h"
#include "analyses/choice/choose_cuts.h"
#include "analyses/choice/choose_dynamics.h"
#include "analyses/choice/choose_method.h"
#include "analyses/choice/closing_refusal.h"
#include "analyses/choice/given_coordinates.h"
#include "analyses/choice/pseudoinverse_fit.h"
#include "analyses/choice/start_traits.h"
#include "analyses/reactions/reaction_metric.h"
#include "analyses/structure/friction_uniqueness.h"
#include "bricard/input_error.h"
#include "model/method_options.h"

namespace bricard {
namespace {

/// Which columns of reactions are a convention, and which one.
void note_reactions(System& system, const Assembly& assembly, Summary& start) {
  const Method& method = start.chosen.method;
  ResultNotes& notes = start.notes;
  std::vector<std::string> joints;
  for (const auto& [joint, components] : start.structure.reactions) {
    const std::size_t before = notes.not_unique.size();
    for (const auto& [component, unique] : components) {
      if (!unique) notes.not_unique.push_back(fmt::format("{}.{}", joint, component));
    }
    if (notes.not_unique.size() > before) joints.push_back(joint);
  }
  if (notes.not_unique.empty()) return;
  const bool of_components = method.reactions == "blajer-38";
  notes.convention = of_components ? fmt::format("least norm, moments per {:.4g} m", method.reaction_length)
                     : method.reactions == "blajer-38-gauss"
                         ? "by Gauss elimination, what depends on other components is zero"
                         : "from multipliers of least norm";
  constexpr std::size_t most_named = 4;
  const std::size_t named = std::min(joints.size(), most_named);
  start.messages.push_back(fmt::format(
      "{} component{} of joint reactions {} not unique (of {}{}; bricard check names them all); reported: {}",
      notes.not_unique.size(), notes.not_unique.size() == 1 ? "" : "s", notes.not_unique.size() == 1 ? "is" : "are",
      fmt::join(joints.begin(), joints.begin() + static_cast<std::ptrdiff_t>(named), ", "),
      named < joints.size() ? fmt::format(" and {} more joints", joints.size() - named) : "", notes.convention));
  if (of_components && depends_on_length(system, assembly.q, assembly.v)) {
    start.messages.push_back(
        fmt::format("these reactions depend on the length by which moments are divided ({:.4g} m, --reaction-length): "
                    "forces and moments can stand for each other",
                    method.reaction_length));
  }
}

/// Puts the model together in some coordinates; its structure there, and what `auto` wants to know of the start.
StartTraits measure(const std::shared_ptr<const Model>& model, const CoordinatesType& coordinates,
                    const Method& requested, PreparedRun& run) {
  run.assembly = assemble(model, coordinates, seed_of(requested));
  const Assembly& assembly = run.assembly;
  if (!assembly.ok) throw InputError(assembly.message);
  run.system = std::make_unique<System>(model, coordinates);
  start_at(*run.system, assembly);
  run.start.structure = analyze_structure(*run.system, assembly.q, assembly.v);
  if (!wants_start_traits(requested) && !requested.diagnostics.value_or(false)) return {};
  return measure_start(*run.system, run.start.structure, assembly.q, assembly.v);
}

}  // namespace

PreparedRun prepare_run(const std::shared_ptr<const Model>& uncut, const Method& method) {
  Method requested = method;
  requested.complete_from(uncut->simulation);
  const CoordinatesType* coordinates = &choose_coordinates(*uncut, requested);
  std::string cuts;
  const std::shared_ptr<const Model> model =
      requested.cut == "projective" ? choose_cuts(uncut, *coordinates, seed_of(requested), cuts) : uncut;
  PreparedRun run;
  StartTraits traits = measure(model, *coordinates, requested, run);
  if (const CoordinatesType* better = coordinates_for_stiffness(*run.system, run.start.structure, requested, traits)) {
    coordinates = better;
    traits = measure(model, *coordinates, requested, run);
  }
  System& system = *run.system;
  const Assembly& assembly = run.assembly;
  Summary& start = run.start;
  start.chosen = choose_method(system, start.structure, requested, traits);
  if (const std::string& given = start.chosen.method.selection; gives_coordinates(given))
    refuse_poor_coordinates(system, assembly.q, assembly.v, given_coordinates(system, given),
                            system.velocity_size() - start.structure.rank);
  if (find_formulation_type(start.chosen.method.formulation)->state == State::closing)
    refuse_open_loops(system, assembly.q, assembly.v, start.chosen.method);
  start.moved_by_assembly = assembly.moved;
  const std::string misfit = pseudoinverse_misfit(system, start.structure, start.chosen.method, assembly.q, assembly.v);
  if (!misfit.empty() && start.chosen.method.rescue == "on") throw InputError(misfit);
  start.messages = model->warnings;
  if (!misfit.empty()) start.messages.push_back(misfit);
  if (!cuts.empty()) start.messages.push_back(cuts);
  note_reactions(system, assembly, start);
  if (const auto joints = joints_with_undetermined_friction(*model, start.structure); !joints.empty())
    start.messages.push_back(undetermined_friction_text(joints));
  if (start.chosen.method.duration / start.chosen.method.output_step > 1e9)
    throw InputError("more than 1e9 outputs: raise the output step");
  run.dynamics_were_free = dynamics_are_free(requested);
  run.generic_rank = std::max(start.structure.rank, traits.rank_beside);
  // The run gets a system without the matrices that all this has needed.
  run.system.reset();
  run.system = std::make_unique<System>(model, *coordinates);
  start_at(*run.system, assembly);
  run.assembly.bodies = std::vector<BodyState>();  // gives their memory back, as {} does not
  return run;
}

}  // namespace bricard

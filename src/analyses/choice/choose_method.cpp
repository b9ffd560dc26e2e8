#include "analyses/choice/choose_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analyses/choice/automatic.h"
#include "analyses/choice/choose_dynamics.h"
#include "analyses/choice/choose_state.h"
#include "analyses/choice/given_coordinates.h"
#include "analyses/choice/pseudoinverse_fit.h"
#include "analyses/choice/row_gains.h"
#include "analyses/reactions/physical_reactions.h"
#include "linear/kkt_solver.h"
#include "model/method_options.h"
#include "model/nearest_name.h"
#include "model/row_gains.h"
#include "pseudoinverses/pseudoinverse.h"
#include "selections/selection.h"
#include "stabilization/stabilization.h"

namespace bricard {
namespace {

bool is_auto(const std::string& name) { return name.empty() || name == "auto"; }

template <class Type, class Types>
const Type& require(const Type* found, const Types& types, const char* kind, const std::string& name) {
  if (found) return *found;
  std::vector<std::string> names = names_of(types);
  names.insert(names.begin(), "auto");
  throw InputError(fmt::format("unknown {} '{}'{}", kind, name, suggestion(name, names)));
}

/// What is said of the engine where it was left to `auto` and is not the one that costs least.
std::string reason_for_whole(const FormulationType& formulation, const ChosenDynamics& chosen, const Structure& s) {
  std::string reason = "dynamics of the whole system because " + chosen.reason;
  const int unknowns = s.coordinates + s.constraints;
  if (formulation.traits.mass_matrix && unknowns > KktSolver::dense_limit)
    reason += fmt::format(" (its matrix of {} unknowns is sparse)", unknowns);
  return reason;
}

/// The lightest body, if its inertia is below `threshold` of the typical one, and that ratio.
std::pair<const Body*, double> body_below(double threshold, const Model& model) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass / static_cast<double>(model.bodies.size());
  const double length = model.characteristic_length();
  std::pair<const Body*, double> lightest = {nullptr, threshold};
  for (const Body& body : model.bodies) {
    const Vec3 turning = body.inertia.diagonal() / (mass * length * length);
    const double least = std::min(body.mass / mass, model.planar() ? turning.z() : turning.minCoeff());
    if (least > 0 && least < lightest.second) lightest = {&body, least};
  }
  return lightest;
}

/// These find the rank of a matrix that holds the masses: what is lighter than their threshold is lost in it.
void refuse_light_bodies(const FormulationType& type, const Model& model, double threshold) {
  static const std::set<std::string> formulations = {"lagrange-pseudoinverse", "least-squares-2", "udwadia-phohomsiri"};
  if (!formulations.contains(type.name)) return;
  const auto [body, ratio] = body_below(10 * threshold, model);
  if (!body) return;
  throw InputError(fmt::format(
      "formulation '{}' cannot be used here: the inertia of body '{}' is {:.1g} of the typical one, too near to the "
      "threshold {:g} below which it takes a matrix with the masses for singular; use 'nullspace-svd' or 'auto', or a "
      "smaller --threshold",
      type.name, body->name, ratio, threshold));
}

void refuse_canonical_form(const Method& m, const IntegratorType& integrator, const FormulationType& formulation,
                           const System& system) {
  const std::string& form = m.canonical_form;
  if (is_auto(form)) return;
  const bool of_augmented = form == "modified" || form == "basic";
  if (of_augmented && std::string(formulation.name) != "canonical-augmented") {
    throw InputError(fmt::format("canonical form '{}' is one of formulation 'canonical-augmented', not of '{}'", form,
                                 formulation.name));
  }
  if (of_augmented) return;
  if (std::string(integrator.name) != "ida")
    throw InputError(fmt::format("canonical form '{}' is one of integrator 'ida', not of '{}'", form, integrator.name));
  if (!system.coordinates().velocities_are_rates()) {
    throw InputError(
        fmt::format("canonical form '{}' needs coordinates whose velocities are their rates, which '{}' are not here; "
                    "use 'euler-zxz' or 'natural'",
                    form, system.coordinates_type().name));
  }
  if (system.friction_depends_on_load()) {
    throw InputError(
        fmt::format("canonical form '{}' takes no friction that depends on the loads of joints, which its unknowns do "
                    "not hold; use 'auto'",
                    form));
  }
}

void refuse_misfit(const FormulationType& type, const System& system, const Structure& s) {
  if (!system.has_mass_matrix() && type.traits.mass_matrix) {
    throw InputError(
        fmt::format("formulation '{}' cannot be used here: the mass matrix of {} relative coordinates of a tree is "
                    "dense and is not "
                    "made; use 'recursive', or coordinates 'reference-point'",
                    type.name, s.coordinates));
  }
  const bool redundant = s.rank < s.constraints;
  if (redundant && !type.traits.redundant_rows) {
    throw InputError(
        fmt::format("formulation '{}' cannot be used here: {}; use 'nullspace-svd', 'lagrange-pseudoinverse' or 'auto'",
                    type.name, redundancy(s)));
  }
  if (s.mass_is_singular && !type.traits.singular_mass) {
    const std::string cause = s.massless.empty() ? "these coordinates make it so" : "because of " + s.massless.front();
    throw InputError(fmt::format(
        "formulation '{}' cannot be used here: the mass matrix is singular ({}); use 'nullspace-svd' or 'auto'",
        type.name, cause));
  }
  if (s.velocity_constraints > 0 && !type.traits.velocity_rows) {
    throw InputError(
        fmt::format("formulation '{}' takes no velocity-level constraints; use 'nullspace-svd' or 'auto'", type.name));
  }
}

/// Options of independent coordinates where there are none, or where they do not change.
void refuse_misfit_of_independent(const Method& requested, const Method& m, const FormulationType& formulation,
                                  const IntegratorType& integrator) {
  const bool kept = m.partition == "once" || gives_coordinates(m.selection);
  const char* const keeper = m.partition == "once" ? "partition 'once'" : "a selection by names";
  if (is_set(requested.hysteresis) && kept)
    throw InputError(fmt::format("hysteresis has no effect: {} keeps the independent coordinates", keeper));
  if (m.renewal == "speed") {
    const bool changes = formulation.state == State::independent || formulation.state == State::extended ||
                         formulation.state == State::independent_momenta;
    if (!changes)
      throw InputError(
          fmt::format("renewal 'speed' is for formulations that integrate independent coordinates, as "
                      "'independent', not for '{}'",
                      m.formulation));
    if (kept) throw InputError(fmt::format("renewal 'speed' has no effect: {} keeps the coordinates", keeper));
    if (integrator.fixed_step)
      throw InputError(
          fmt::format("renewal 'speed' needs steps that the integrator chooses, which '{}' does not; use "
                      "'dopri5' or 'adams'",
                      m.integrator));
  }
  if (m.carry_history.value_or(false) && formulation.state != State::independent)
    throw InputError(fmt::format("carry_history is for formulation 'independent', not for '{}'", m.formulation));
  if (m.projection_basis == "partition" && m.formulation != "projection-r")
    throw InputError(
        fmt::format("projection_basis 'partition' is for formulation 'projection-r', not for '{}'", m.formulation));
}

/// Some component of a joint's reaction is not unique.
bool has_conventional_reactions(const Structure& s) {
  for (const auto& [joint, components] : s.reactions) {
    for (const auto& [name, unique] : components) {
      if (!unique) return true;
    }
  }
  return false;
}

Choice coordinates_left_to_auto(const Model& model, const Method& requested) {
  const FormulationType* formulation = find_formulation_type(requested.formulation);
  if (requested.state == "independent" && !(formulation && formulation->traits.tree_only) && !model.planar())
    return {"euler-zxz", "state independent needs coordinates whose velocities are their rates"};
  return automatic_coordinates(model_traits(model), formulation,
                               state_needs_matrices(requested) ? "whole" : requested.dynamics,
                               find_integrator_type(requested.integrator));
}

/// Of the system that was made, see coordinates_for_stiffness().
Choice coordinates_of(const System& system, const Method& requested) {
  Choice first = coordinates_left_to_auto(system.model(), requested);
  if (system.coordinates_type().name == first.name) return first;
  return {system.coordinates_type().name,
          "the motion is stiff, and implicit integrators have exact derivatives in them"};
}

/// What of gains and penalties the method would not use.
void refuse_gains_without_effect(const Method& m, const FormulationType& formulation,
                                 const StabilizationType& stabilization, const IntegratorType& integrator) {
  for (const RowGain& gain : parse_row_gains(m.row_gains)) {
    const bool of_feedback = gain.key == "alpha" || gain.key == "beta";
    if (of_feedback && !stabilization.feedback) {
      throw InputError(fmt::format(
          "{} of '{}' has no effect: stabilization '{}' does not feed constraint errors back; use 'baumgarte'",
          gain.key, gain.name, stabilization.name));
    }
    if (of_feedback && m.gains != "fixed") {
      throw InputError(fmt::format("{} of '{}' has no effect: gains '{}' are the same for all constraints; use 'fixed'",
                                   gain.key, gain.name, m.gains));
    }
    if (!of_feedback && !formulation.traits.row_penalties) {
      throw InputError(
          fmt::format("{} of '{}' has no effect: {} '{}' has none by constraint; use formulation 'penalty' or "
                      "'augmented-lagrangian'",
                      gain.key, gain.name, integrator.create_for ? "integrator" : "formulation",
                      integrator.create_for ? integrator.name : formulation.name));
    }
  }
  if (m.gains == "fixed") return;
  if (!stabilization.rules) {
    throw InputError(
        fmt::format("gains '{}' are those of stabilization 'baumgarte', not of '{}'", m.gains, stabilization.name));
  }
  if (integrator.real_stability == 0) {
    throw InputError(
        fmt::format("gains '{}': the limit of integrator '{}' changes with its order, which it chooses itself; use "
                    "gains 'fixed' or a Runge-Kutta method such as 'dopri5'",
                    m.gains, integrator.name));
  }
  if (m.gains == "stability" && std::isinf(integrator.real_stability)) {
    throw InputError(fmt::format(
        "gains '{}': integrator '{}' is stable with gains of any size, so that its step says nothing of them; use "
        "gains 'fixed' with alpha and beta",
        m.gains, integrator.name));
  }
}

}  // namespace

const CoordinatesType& choose_coordinates(const Model& model, const Method& requested) {
  const std::string name =
      is_auto(requested.coordinates) ? coordinates_left_to_auto(model, requested).name : requested.coordinates;
  const CoordinatesType& type = require(find_coordinates_type(name), coordinates_types(), "coordinates", name);
  if (model.planar() && !type.planar) {
    throw InputError(
        fmt::format("coordinates '{}' describe spatial bodies, this model is planar; use 'reference-point'", name));
  }
  if (const std::string misfit = type.misfit ? type.misfit(model) : ""; !misfit.empty()) {
    throw InputError(fmt::format("coordinates '{}' cannot be used here: {}; use 'reference-point'", name, misfit));
  }
  if (!model.planar() && !type.spatial) {
    throw InputError(
        fmt::format("coordinates '{}' describe planar bodies, this model is spatial; use 'reference-point'", name));
  }
  return type;
}

bool wants_start_traits(const Method& requested) {
  return is_auto(requested.formulation) || is_auto(requested.stabilization) || is_auto(requested.integrator);
}

const CoordinatesType* coordinates_for_stiffness(const System& system, const Structure& s, const Method& requested,
                                                 const StartTraits& start) {
  const bool free = is_auto(requested.coordinates) && is_auto(requested.integrator) && is_auto(requested.formulation);
  if (!free || requested.dynamics == "tree" || system.coordinates_type().name == std::string("reference-point"))
    return nullptr;
  Method method = requested;
  complete_by_defaults(method);
  method.coordinates = "reference-point";
  const Choice integrator = automatic_integrator(system.model(), s, start, method);
  return find_integrator_type(integrator.name)->implicit ? find_coordinates_type(method.coordinates) : nullptr;
}

ChosenMethod choose_method(const System& system, const Structure& s, const Method& requested,
                           const StartTraits& start) {
  ChosenMethod chosen;
  chosen.method = requested;
  Method& m = chosen.method;
  m.coordinates = system.coordinates_type().name;

  require_valid(m);
  complete_by_defaults(m);
  if (std::isnan(m.reaction_length)) m.reaction_length = system.model().characteristic_length();

  if (!s.accelerations_are_unique) {
    throw InputError(fmt::format(
        "the accelerations are not determined: {} can move in a direction that has neither inertia nor a constraint; "
        "give it mass and inertia, or constrain it",
        s.massless.empty() ? "a body" : "'" + s.massless.front() + "'"));
  }

  const bool redundant = s.rank < s.constraints;
  std::vector<std::string> reasons;
  const auto take = [](const Choice& choice, std::string& name) {
    name = choice.name;
    return (name == "none" ? "no stabilisation" : name) + " because " + choice.reason;
  };
  if (is_auto(requested.coordinates)) reasons.push_back(take(coordinates_of(system, requested), m.coordinates));
  if (is_auto(m.formulation)) {
    chosen.formulation_was_free = true;
    reasons.push_back(take(automatic_formulation(system, s, start, requested), m.formulation));
  }
  const FormulationType& formulation =
      require(find_formulation_type(m.formulation), formulation_types(), "formulation", m.formulation);
  refuse_misfit(formulation, system, s);
  if (std::isnan(requested.threshold)) m.threshold = std::max(m.threshold, formulation.traits.smallest_rank_threshold);
  if (formulation.traits.rates_only && !system.coordinates().velocities_are_rates()) {
    throw InputError(
        fmt::format("formulation '{}' needs coordinates whose velocities are their rates, which '{}' are not in space; "
                    "use 'euler-zxz' or 'auto'",
                    m.formulation, m.coordinates));
  }

  refuse_state_misfit(m, formulation, system);
  refuse_light_bodies(formulation, system.model(), m.threshold);

  if (const std::string misfit = formulation.misfit ? formulation.misfit(system) : ""; !misfit.empty()) {
    throw InputError(fmt::format("formulation '{}' cannot be used here: {}", m.formulation, misfit));
  }

  std::string reason_for_integrator;  // comes last
  chosen.step_tolerance = m.tolerance;
  if (is_auto(m.integrator)) {
    const Choice choice = automatic_integrator(system.model(), s, start, m);
    reason_for_integrator = take(choice, m.integrator);
    if (choice.step_tolerance > 0) chosen.step_tolerance = choice.step_tolerance;
  }
  const IntegratorType& integrator =
      require(find_integrator_type(m.integrator), integrator_types(), "integrator", m.integrator);
  if (integrator.fixed_step && m.step == 0) {
    throw InputError(fmt::format("integrator '{}' has a fixed step: give one, for example --step 0.001", m.integrator));
  }
  if (integrator.create_for && s.coordinates == 0) {
    throw InputError(fmt::format(
        "integrator '{}' has nothing to integrate: coordinates '{}' satisfy every joint of this locked mechanism; use "
        "coordinates 'reference-point' or integrator 'auto'",
        m.integrator, m.coordinates));
  }
  if (integrator.create_for && !system.has_mass_matrix()) {
    throw InputError(fmt::format(
        "integrator '{}' needs the mass matrix, which is dense for {} relative coordinates of a tree and is "
        "not made; use coordinates 'reference-point'",
        m.integrator, s.coordinates));
  }
  refuse_state_misfit(m, formulation, integrator);

  refuse_canonical_form(m, integrator, formulation, system);

  require(find_pseudoinverse_type(m.pseudoinverse), pseudoinverse_types(), "pseudoinverse", m.pseudoinverse);
  refuse_idle_options(m, formulation);

  if (is_auto(m.stabilization))
    reasons.push_back(take(automatic_stabilization(s, start, formulation, integrator, m), m.stabilization));
  if (!reason_for_integrator.empty()) reasons.push_back(reason_for_integrator);
  const StabilizationType& stabilization =
      require(find_stabilization_type(m.stabilization), stabilization_types(), "stabilization", m.stabilization);
  if (integrator.create_for && m.stabilization != "none") {
    throw InputError(fmt::format(
        "integrator '{}' satisfies the constraints by itself: stabilization must be 'none' or 'auto', not '{}'",
        m.integrator, m.stabilization));
  }
  refuse_state_misfit(m, formulation, stabilization);
  if (stabilization.feedback && !formulation.traits.feedback) {
    throw InputError(fmt::format(
        "formulation '{}' takes no feedback of constraint errors but its own: stabilization must be 'none', "
        "'projection' or 'partitioning', not '{}'",
        m.formulation, m.stabilization));
  }
  refuse_gains_without_effect(m, formulation, stabilization, integrator);
  gains_by_row(system, m);  // names that no constraint has

  if (formulation.state == State::closing && is_auto(requested.selection)) m.selection = "projective";
  if (!gives_coordinates(m.selection))
    require(find_selection_type(m.selection), selection_types(), "selection", m.selection);
  refuse_misfit_of_independent(requested, m, formulation, integrator);

  // Joints that the coordinates absorb have their reactions from free bodies, whose constraints and masses count.
  const bool of_free_bodies = system.absorbs_joints();
  const bool redundant_joints = redundant || (of_free_bodies && has_conventional_reactions(s));
  const bool massless = s.mass_is_singular || (of_free_bodies && !s.massless.empty());
  if (is_auto(m.reactions)) m.reactions = redundant_joints ? "blajer-38" : "multipliers";
  const ReactionSchemeType& reactions =
      require(find_reaction_scheme_type(m.reactions), reaction_scheme_types(), "reactions", m.reactions);
  if (redundant_joints && !reactions.redundant_rows) {
    throw InputError(fmt::format("reactions '{}' need independent constraints{}; use 'blajer-38' or 'auto'",
                                 m.reactions, redundant ? "" : ", which those of the joints are not"));
  }
  if (massless && !reactions.singular_mass)
    throw InputError(fmt::format("reactions '{}' need a regular mass matrix; use 'blajer-38' or 'auto'", m.reactions));

  const ChosenDynamics dynamics = choose_dynamics({.system = system,
                                                   .formulation = formulation,
                                                   .stabilization = stabilization,
                                                   .integrator = integrator,
                                                   .method = m,
                                                   .redundant = s.constraints - std::max(s.rank, start.rank_beside)});
  m.dynamics = dynamics.engine->name;
  m.state = name_of(state_of(m, formulation));
  if (chosen.formulation_was_free && !dynamics.reason.empty())
    reasons.push_back(reason_for_whole(formulation, dynamics, s));

  for (std::size_t k = 0; k < reasons.size(); ++k) chosen.reason += (k ? "; " : "") + reasons[k];
  if (reasons.empty()) chosen.reason = "as requested";
  return chosen;
}

}  // namespace bricard

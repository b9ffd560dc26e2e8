#include "analyses/choice/choose_method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "analyses/choice/automatic.h"
#include "analyses/choice/choose_dynamics.h"
#include "analyses/choice/given_coordinates.h"
#include "analyses/reactions/physical_reactions.h"
#include "linear/kkt_solver.h"
#include "model/method_options.h"
#include "model/nearest_name.h"
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
  return automatic_coordinates(model_traits(model), find_formulation_type(requested.formulation), requested.dynamics,
                               find_integrator_type(requested.integrator));
}

/// Of the system that was made, see coordinates_for_stiffness().
Choice coordinates_of(const System& system, const Method& requested) {
  const Choice first = coordinates_left_to_auto(system.model(), requested);
  if (system.coordinates_type().name == first.name) return first;
  return {system.coordinates_type().name,
          "the motion is stiff, and implicit integrators have exact derivatives in them"};
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
  if (integrator.create_for && formulation.state != State::full) {
    throw InputError(fmt::format(
        "integrator '{}' integrates the constrained equations in all coordinates, formulation '{}' has a state of its "
        "own; use formulation 'auto'",
        m.integrator, m.formulation));
  }

  require(find_pseudoinverse_type(m.pseudoinverse), pseudoinverse_types(), "pseudoinverse", m.pseudoinverse);

  if (is_auto(m.stabilization))
    reasons.push_back(take(automatic_stabilization(s, start, formulation, integrator), m.stabilization));
  if (!reason_for_integrator.empty()) reasons.push_back(reason_for_integrator);
  const StabilizationType& stabilization =
      require(find_stabilization_type(m.stabilization), stabilization_types(), "stabilization", m.stabilization);
  if (integrator.create_for && m.stabilization != "none") {
    throw InputError(fmt::format(
        "integrator '{}' satisfies the constraints by itself: stabilization must be 'none' or 'auto', not '{}'",
        m.integrator, m.stabilization));
  }
  if (!formulation.traits.corrections && m.stabilization != "none") {
    throw InputError(fmt::format(
        "formulation '{}' satisfies the constraints by itself: stabilization must be 'none' or 'auto', not '{}'",
        m.formulation, m.stabilization));
  }
  if (stabilization.feedback && !formulation.traits.feedback) {
    throw InputError(fmt::format(
        "formulation '{}' takes no feedback of constraint errors but its own: stabilization must be 'none', "
        "'projection' or 'partitioning', not '{}'",
        m.formulation, m.stabilization));
  }
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
  if (chosen.formulation_was_free && !dynamics.reason.empty())
    reasons.push_back(reason_for_whole(formulation, dynamics, s));

  for (std::size_t k = 0; k < reasons.size(); ++k) chosen.reason += (k ? "; " : "") + reasons[k];
  if (reasons.empty()) chosen.reason = "as requested";
  return chosen;
}

}  // namespace bricard

#include "bricard/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyses/choice/choose_method.h"
#include "analyses/reactions/reaction_metric.h"
#include "analyses/run/budget.h"
#include "analyses/run/own_units.h"
#include "analyses/structure/friction_uniqueness.h"
#include "bricard/input_error.h"
#include "diagnosis/dependent_groups.h"
#include "diagnosis/direction_words.h"
#include "diagnosis/idle_freedoms.h"
#include "diagnosis/rank_diagnosis.h"
#include "diagnosis/releases.h"
#include "diagnosis/self_stress.h"
#include "diagnosis/unique_reactions.h"
#include "linear/dense/subspaces.h"
#include "linear/sparse_triangle.h"
#include "model/nearest_name.h"
#include "selections/selection.h"
#include "system/typical_inertia.h"

namespace bricard {
namespace {

constexpr int largest_compared = 300;

/// "crank.angle", "arm.x", "arm.rotation z" for each velocity of reference-point coordinates.
std::vector<std::string> velocity_names(const Model& model) {
  static const std::vector<std::string> planar = {".x", ".y", ".angle"};
  static const std::vector<std::string> spatial = {".x", ".y", ".z", ".rotation x", ".rotation y", ".rotation z"};
  std::vector<std::string> names;
  for (const Body& body : model.bodies) {
    for (const std::string& coordinate : model.planar() ? planar : spatial) names.push_back(body.name + coordinate);
  }
  return names;
}

IndependentChoice choose_independent(const System& system, const Equations& eq, const std::string& selection) {
  IndependentChoice choice{.selection = selection, .coordinates = {}};
  const Vector scale = typical_inertia(system).cwiseSqrt().cwiseInverse();
  const Matrix rows(dimensionless_rows(eq.P, typical_inertia(system)));
  const Matrix M = scale.asDiagonal() * Matrix(eq.M) * scale.asDiagonal();
  Matrix P(0, rows.cols());
  if (rows.rows() > 0) {
    Eigen::ColPivHouseholderQR<Matrix> factor(rows.transpose());
    factor.setThreshold(1e-8);
    P.resize(factor.rank(), rows.cols());
    for (int k = 0; k < factor.rank(); ++k) P.row(k) = rows.row(factor.colsPermutation().indices()[k]);
  }
  if (P.rows() == P.cols()) return choice;
  const Selected selected = find_selection_type(selection)->create()->choose(P, M);
  const std::vector<std::string> names = velocity_names(system.model());
  for (int k : selected.coordinates) choice.coordinates.push_back(names[k]);
  Matrix stacked(P.cols(), P.cols());
  stacked << P, selected.B;
  const Vector values = singular_values(stacked);
  choice.condition = values[0] / std::max(values[P.cols() - 1], 1e-300);
  return choice;
}

/// Errors by joint or motion; a row that does not feel translations is an angle.
std::vector<Conflict> find_conflicts(const System& system, const Equations& eq) {
  std::map<std::string, Conflict> by_name;
  for (int row = 0; row < system.row_count(); ++row) {
    const RowInfo& info = system.rows()[row];
    if (info.velocity_level || info.owner == RowOwner::coordinates) continue;
    const std::string full = system.row_name(row), name = full.substr(0, full.find(": "));
    bool is_angle = true;
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry)
      is_angle &= entry.value() == 0 || system.coordinates().is_rotation(static_cast<int>(entry.col()));
    Conflict& conflict = by_name[name];
    conflict.joint = name;
    double& gap = is_angle ? conflict.radians : conflict.metres;
    gap = std::hypot(gap, eq.Phi[row]);
  }
  std::vector<Conflict> conflicts;
  const double length = system.model().characteristic_length();
  const auto size = [&](const Conflict& c) { return c.metres / length + c.radians; };
  for (const auto& [name, conflict] : by_name) conflicts.push_back(conflict);
  std::stable_sort(conflicts.begin(), conflicts.end(),
                   [&](const Conflict& a, const Conflict& b) { return size(a) > size(b); });
  const double smallest = conflicts.empty() ? 0 : std::max(1e-9, 1e-3 * size(conflicts.front()));
  std::erase_if(conflicts, [&](const Conflict& c) { return size(c) < smallest; });
  return conflicts;
}

std::string conflict_words(const std::vector<Conflict>& conflicts) {
  std::vector<std::string> words;
  for (const Conflict& c : conflicts) {
    std::vector<std::string> gaps;
    if (c.metres > 0) gaps.push_back(fmt::format("{:.4g} m", c.metres));
    if (c.radians > 0) gaps.push_back(fmt::format("{:.4g} rad", c.radians));
    words.push_back(fmt::format("{} (open by {})", c.joint, listed(gaps)));
  }
  return listed(words) + " cannot all be satisfied";
}

void say(const Model& model, bool releases_wanted, Diagnosis& d) {
  const auto add = [&](std::string text) { d.messages.push_back(std::move(text)); };
  if (!d.assembly.ok) {
    add(d.assembly.message + "; the counts are those of the position where the assembly stopped");
    if (!d.conflicts.empty()) add("conflict: " + conflict_words(d.conflicts));
  }
  if (d.rank.lost_here() > 0) {
    add(
        fmt::format("this is a singular position: the rank is {} here and {} beside it, so branches of the motion may "
                    "cross",
                    d.rank.rank, d.rank.generic_rank));
  } else if (d.rank.measured && d.rank.nearness < 1e-3 && d.rank.nearness < 0.1 * d.rank.nearness_beside) {
    add(fmt::format("a singular position is near: the last singular value that counts is {:.1e} of the largest",
                    d.rank.nearness));
  }
  if (d.depends_on_length)
    add(
        fmt::format("reactions of least norm depend on how moments are weighted against forces: a moment counts as a "
                    "force at {:.4g} m (reaction_length)",
                    d.reaction_length));
  if (!d.friction.empty()) add(undetermined_friction_text(d.friction));
  if (releases_wanted && d.assembly.ok && d.rank.measured && d.rank.redundant() > 0 && d.releases.empty())
    add("no change of joint types that was tried makes the model exactly constrained with the same motion");
  for (const IdleSpin& spin : d.idle_spins) add("idle degree of freedom: " + spin.words);
  std::string without_inertia;
  for (const InertiaFree& entry : d.inertia_free)
    without_inertia += (without_inertia.empty() ? "" : "; ") + entry.words;
  if (!without_inertia.empty())
    add("the mass matrix is singular, formulations that need its inverse are refused: " + without_inertia);
  if (d.structure.mass_is_singular && d.inertia_free.empty())
    add("the mass matrix is singular in these coordinates: formulations that need its inverse are refused");
  if (!d.structure.accelerations_are_unique)
    add("the accelerations are not determined: a motion has neither inertia nor a constraint");
  if (d.assembly.ok && d.structure.degrees_of_freedom == 0)
    add("no degree of freedom is left: the motion follows from the drives alone, or nothing moves");
  for (const std::string& warning : model.warnings) add(warning);
}

/// Refuses what would not end. Rows that all touch one body fill the factors, however few numbers they have.
void check_size(const System& system, const DiagnosisOptions& options) {
  constexpr double seconds_per_number = 2e-10;  // to the power 1.5: a full factor of n^2 numbers takes n^3 operations
  constexpr double megabytes_per_row = 0.01, seconds_per_row = 5e-5;  // of all that grows with the size alone
  const double cost = qr_numbers(SparseColumns(system.empty_equations().P.transpose()));
  const double rows = system.row_count() + system.velocity_size();
  check_work({.what = fmt::format("the diagnosis of {} constraints", system.row_count()),
              .because = "for the factors of the constraints are that full",
              .seconds = seconds_per_number * std::pow(cost, 1.5) + seconds_per_row * rows,
              .megabytes = 3 * 8e-6 * cost + megabytes_per_row * rows,
              .usual_time_limit = 600},
             options.time_limit, options.memory_limit);
}

void to_si(const OwnUnits& own, Diagnosis& d) {
  const double length = own.units().length;
  own.to_si(d.assembly, *find_coordinates_type(d.coordinates));
  own.to_si(d.bodies);
  Vector unused;
  own.to_si(*find_coordinates_type("reference-point"), d.rank.beside, unused);
  d.reaction_length *= length;
  for (Conflict& conflict : d.conflicts) conflict.metres *= length;
  for (Release& release : d.releases) {
    if (release.model) release.model = measured_in(own.units().inverse(), *release.model);
  }
  own.to_si(d.messages);
}

}  // namespace

Diagnosis diagnose(const std::shared_ptr<const Model>& model, const DiagnosisOptions& options) {
  if (const OwnUnits own(model); own.differ()) {
    DiagnosisOptions measured = options;
    measured.reaction_length /= own.units().length;
    Diagnosis found = own.translate_errors([&] { return diagnose(own.model(), measured); });
    to_si(own, found);
    return found;
  }
  Diagnosis d;
  if (!find_selection_type(options.selection)) {
    throw InputError(fmt::format("no selection '{}'{}", options.selection,
                                 suggestion(options.selection, names_of(selection_types()))));
  }
  if (!(options.reaction_length >= 0 && std::isfinite(options.reaction_length)))
    throw InputError("the reaction length must be a positive number of metres");
  Method method;
  method.coordinates = options.coordinates;
  if (options.reaction_length > 0) method.reaction_length = options.reaction_length;
  method.complete_from(model->simulation);
  // All rows of few joints can be read; relative coordinates would hide those of a tree.
  const auto is_free = [](const std::string& name) { return name.empty() || name == "auto"; };
  if (is_free(method.coordinates) && is_free(method.formulation) && model->bodies.size() < 10)
    method.coordinates = "reference-point";
  const CoordinatesType& chosen = choose_coordinates(*model, method);
  const CoordinatesType& free_bodies = *find_coordinates_type("reference-point");
  d.coordinates = chosen.name;
  System system(model, free_bodies);
  check_size(system, options);

  d.assembly = assemble(model, chosen, options.seed);
  System counted(model, chosen);
  start_at(counted, d.assembly);
  d.structure = analyze_structure(counted, d.assembly.q, d.assembly.v);

  const bool same = &chosen == &free_bodies || std::string(chosen.name) == free_bodies.name;
  const Assembly assembly = same ? d.assembly : assemble(model, free_bodies, options.seed);
  start_at(system, assembly);
  Equations eq = system.empty_equations();
  const Vector states = Vector::Zero(system.state_size());
  d.rank = diagnose_rank(system, assembly.q, assembly.v);

  SelfStress beside;
  if (d.rank.beside.size() > 0 && assembly.ok) {
    system.evaluate(0, d.rank.beside, assembly.v, states, Upto::dynamics, eq);
    beside = find_self_stress(system, eq);
  }
  system.evaluate(0, assembly.q, assembly.v, states, Upto::dynamics, eq);
  system.body_states(d.bodies);
  const SelfStress stress = find_self_stress(system, eq);
  d.groups = find_dependent_groups(system, stress, d.rank.beside.size() > 0 && assembly.ok ? &beside : nullptr);
  d.reactions = find_unique_reactions(system, stress);
  d.resultants = find_unique_resultants(system, stress);
  d.reaction_length = std::isnan(method.reaction_length) ? stress.length : method.reaction_length;
  d.depends_on_length = depends_on_length(system, assembly.q, assembly.v);
  d.friction = joints_with_undetermined_friction(*model, d.structure);
  if (!assembly.ok) d.conflicts = find_conflicts(system, eq);
  d.idle_spins = find_idle_spins(system, eq);
  d.inertia_free = find_inertia_free(system, eq);
  if (assembly.ok && d.rank.measured && system.velocity_size() <= largest_compared)
    d.independent = choose_independent(system, eq, options.selection);
  if (options.releases && assembly.ok && d.rank.measured && d.rank.redundant() > 0) {
    const bool singular = d.rank.lost_here() > 0;
    d.releases = suggest_releases(model, singular ? d.rank.beside : assembly.q, assembly.v);
  }
  say(*model, options.releases, d);
  return d;
}

}  // namespace bricard

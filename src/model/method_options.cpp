#include "model/method_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "bricard/input_error.h"
#include "model/nearest_name.h"

namespace bricard {
namespace {

void assign(std::string& name, const char* text) { name = text; }
void assign(double& number, const char* text) { number = std::strtod(text, nullptr); }
void assign(std::optional<bool>& flag, const char* text) { flag = std::string(text) == "true"; }

void check_value(const MethodOption& option, double number) {
  if (is_set(number) && !option.range.contains(number))
    throw InputError(fmt::format("{} must be {}, not {}", option.words(), option.range.words(), number));
}

void check_value(const MethodOption& option, const std::string& name) {
  if (option.choices.empty() || name.empty() || name == "auto") return;
  if (std::find(option.choices.begin(), option.choices.end(), name) == option.choices.end())
    throw InputError(fmt::format("unknown {} '{}'{}", option.words(), name, suggestion(name, option.choices)));
}

void check_value(const MethodOption&, const std::optional<bool>&) {}

std::string with(std::string text, char replaced, char by) {
  std::replace(text.begin(), text.end(), replaced, by);
  return text;
}

}  // namespace

const std::vector<MethodOption>& method_options() {
  using enum MeasuredIn;
  static const std::vector<MethodOption> options = {
      {.key = "duration",
       .member = &Method::duration,
       .standard = "10",
       .placeholder = "S",
       .help = "Length of the run in s",
       .range = positive_numbers,
       .measured_in = time},
      {.key = "output_step",
       .member = &Method::output_step,
       .standard = "0.01",
       .placeholder = "S",
       .help = "Time between rows of the results in s",
       .range = positive_numbers,
       .measured_in = time},
      {.key = "tolerance",
       .member = &Method::tolerance,
       .standard = "1e-6",
       .placeholder = "T",
       .help = "Error per step of adaptive integrators, relative and absolute",
       .range = positive_numbers},
      {.key = "step",
       .member = &Method::step,
       .standard = "0",
       .placeholder = "H",
       .help = "Step of fixed-step integrators in s; longest step of the others",
       .note = ": none",
       .range = positive_numbers,
       .measured_in = time},
      {.key = "coordinates",
       .member = &Method::coordinates,
       .standard = "auto",
       .placeholder = "NAME",
       .help = "Coordinate set; bricard methods lists them; auto chooses by the model"},
      {.key = "formulation",
       .member = &Method::formulation,
       .standard = "auto",
       .placeholder = "NAME",
       .help = "Formulation; bricard methods lists them; auto chooses by the model"},
      {.key = "state",
       .member = &Method::state,
       .standard = "auto",
       .placeholder = "STATE",
       .help = "What is integrated: full (q, v), independent coordinates (z, z'), or extended (q, z')",
       .note = ", the formulation's own",
       .choices = {"full", "independent", "extended"}},
      {.key = "pseudoinverse",
       .member = &Method::pseudoinverse,
       .standard = "svd",
       .placeholder = "NAME",
       .help = "Pseudoinverse of the formulations that use one"},
      {.key = "greville",
       .member = &Method::greville,
       .standard = "all",
       .placeholder = "LIST",
       .help = "Changes of Greville's algorithm that pseudoinverse greville makes: all, none, or some of "
               "order,transpose,reorthogonalize"},
      {.key = "stabilization",
       .member = &Method::stabilization,
       .standard = "auto",
       .placeholder = "NAME",
       .help = "Stabilisation of the constraints"},
      {.key = "integrator",
       .member = &Method::integrator,
       .standard = "auto",
       .placeholder = "NAME",
       .help = "Integrator"},
      {.key = "selection",
       .member = &Method::selection,
       .standard = "gauss",
       .placeholder = "NAME",
       .help = "Selection of independent coordinates, or these themselves: slider.x,crank.angle"},
      {.key = "partition",
       .member = &Method::partition,
       .standard = "renewed",
       .placeholder = "WHEN",
       .help = "Independent coordinates: renewed when their pivots have fallen, or chosen once, at the start",
       .choices = {"renewed", "once"}},
      {.key = "hysteresis",
       .member = &Method::hysteresis,
       .standard = "0.5",
       .placeholder = "X",
       .help = "Independent coordinates change where what measures them is below X times the best (projective), or "
               "times what it was (pivots, qr-basis also the cosine); 1: always the best",
       .range = {.least = 0, .most = 1}},
      {.key = "renewal",
       .member = &Method::renewal,
       .standard = "pivots",
       .placeholder = "REASON",
       .help = "Independent coordinates change by what measures them (pivots of [P; B], or as their selection says), "
               "or for speed, where steps get short",
       .choices = {"pivots", "speed"}},
      {.key = "carry_history",
       .member = &Method::carry_history,
       .standard = "false",
       .help = "Formulation independent: all of (q, v) is the integrator's state, and a change of the independent "
               "coordinates restarts nothing"},
      {.key = "projection_basis",
       .member = &Method::projection_basis,
       .standard = "qr",
       .placeholder = "KIND",
       .help = "R of projection-r: by qr (an orthonormal basis), or by a partition into independent coordinates "
               "(--selection)",
       .choices = {"qr", "partition"}},
      {.key = "cut",
       .member = &Method::cut,
       .standard = "equations",
       .placeholder = "WHERE",
       .help =
           "Relative coordinates: loops are cut where it costs the fewest equations, or by the projective criterion",
       .choices = {"equations", "projective"}},
      {.key = "position_tolerance",
       .member = &Method::position_tolerance,
       .standard = "0",
       .placeholder = "X",
       .help = "Independent coordinates: the others are found until |Phi| is below X m",
       .note = ": as far as rounding lets it",
       .range = numbers_from_zero,
       .measured_in = length},
      {.key = "correction_interval",
       .member = &Method::correction_interval,
       .standard = "1",
       .placeholder = "N",
       .help = "State extended: positions are put back on the constraints every N steps; 0: never",
       .range = whole_numbers(0, 1e9)},
      {.key = "correction_bound",
       .member = &Method::correction_bound,
       .standard = "0",
       .placeholder = "X",
       .help = "State extended: positions are put back only where |Phi| is above X m",
       .note = ": always",
       .range = numbers_from_zero,
       .measured_in = length},
      {.key = "reactions",
       .member = &Method::reactions,
       .standard = "auto",
       .placeholder = "NAME",
       .help = "How joint reactions are found",
       .note = ": multipliers, blajer-38 if constraints are redundant"},
      {.key = "reaction_length",
       .member = &Method::reaction_length,
       .standard = "",
       .placeholder = "L",
       .help = "Where reactions are not unique: divides moments by L m to find those of least norm",
       .note = "the model's size",
       .range = positive_numbers,
       .measured_in = length},
      {.key = "diagnostics",
       .member = &Method::diagnostics,
       .standard = "false",
       .help =
           "More columns (constraint.rank, singularity, projective.JOINT), and when singular positions were passed"},
      {.key = "row_columns",
       .member = &Method::row_columns,
       .standard = "false",
       .help = "More columns: lambda.ROW, phi.ROW and phi_dot.ROW, the multiplier and errors of every constraint"},
      {.key = "alpha",
       .member = &Method::alpha,
       .standard = "10",
       .placeholder = "A",
       .help = "Baumgarte's gain of velocities",
       .range = numbers_from_zero,
       .measured_in = rate,
       .by_row = true},
      {.key = "beta",
       .member = &Method::beta,
       .standard = "10",
       .placeholder = "B",
       .help = "Baumgarte's gain of positions",
       .range = numbers_from_zero,
       .measured_in = rate,
       .by_row = true},
      {.key = "gains",
       .member = &Method::gains,
       .standard = "fixed",
       .placeholder = "RULE",
       .help = "Baumgarte's gains: fixed, a part of what the integrator's stability allows, or as errors ask for",
       .choices = {"fixed", "stability", "adaptive"}},
      {.key = "gain_fraction",
       .member = &Method::gain_fraction,
       .standard = "0.036",
       .placeholder = "X",
       .help = "Of gains by stability: that part, 1 is the limit",
       .range = {.least = 0, .most = 1, .open = true}},
      {.key = "hybrid_bound",
       .member = &Method::hybrid_bound,
       .standard = "0",
       .placeholder = "X",
       .help = "hybrid, baumgarte-then-partitioning: the constraints are not kept where |Phi| is above X m",
       .note = ": 1e-6 of the model's size",
       .range = numbers_from_zero,
       .measured_in = length},
      {.key = "threshold",
       .member = &Method::threshold,
       .standard = "1e-9",
       .placeholder = "X",
       .help = "Relative rank threshold of pseudoinverses and null spaces",
       .note = "; at least 1e-7 for nullspace-eigen, nullspace-schur, least-squares-1, recursive",
       .range = positive_numbers},
      {.key = "threshold_kind",
       .member = &Method::threshold_kind,
       .standard = "relative",
       .placeholder = "KIND",
       .help =
           "Threshold of pseudoinverses: relative to the largest singular value or pivot, or absolute, for P M^-1/2 "
           "in its units",
       .choices = {"relative", "absolute"}},
      {.key = "threshold_fixed",
       .member = &Method::threshold_fixed,
       .standard = "false",
       .help = "Threshold of pseudoinverses: stays where it is put, below the drift of the constraints too"},
      {.key = "penalty",
       .member = &Method::penalty,
       .standard = "1e7",
       .placeholder = "A",
       .help = "Penalty factor of penalty, augmented-lagrangian, canonical-augmented, alf3",
       .range = positive_numbers,
       .by_row = true},
      {.key = "penalty_kind",
       .member = &Method::penalty_kind,
       .standard = "relative",
       .placeholder = "KIND",
       .help = "relative to the largest term of the mass matrix, or absolute",
       .choices = {"relative", "absolute"}},
      {.key = "canonical_form",
       .member = &Method::canonical_form,
       .standard = "auto",
       .placeholder = "FORM",
       .help = "canonical-augmented: modified or basic; ida: canonical equations by positions, velocities or index-3",
       .note = ": modified; accelerations",
       .choices = {"modified", "basic", "positions", "velocities", "index-3"}},
      {.key = "omega",
       .member = &Method::omega,
       .standard = "10",
       .placeholder = "W",
       .help = "Penalty methods: frequency at which errors decay, 1/s",
       .range = numbers_from_zero,
       .measured_in = rate,
       .by_row = true},
      {.key = "mu",
       .member = &Method::mu,
       .standard = "1",
       .placeholder = "X",
       .help = "Penalty methods: damping ratio of that decay",
       .range = numbers_from_zero,
       .by_row = true},
      {.key = "row_gains",
       .member = &Method::row_gains,
       .standard = "",
       .placeholder = "LIST",
       .help = "alpha, beta, penalty, omega, mu of joints or constraints of their own: 'A.penalty=1e9, B.alpha=20'",
       .note = "none"},
      {.key = "iterations",
       .member = &Method::iterations,
       .standard = "20",
       .placeholder = "N",
       .help = "Augmented Lagrangian: at most N iterations",
       .range = whole_numbers(0, 1e9)},
      {.key = "iteration_tolerance",
       .member = &Method::iteration_tolerance,
       .standard = "1e-12",
       .placeholder = "T",
       .help = "Augmented Lagrangian: stop iterating below this relative change",
       .range = numbers_from_zero},
      {.key = "spectral_radius",
       .member = &Method::spectral_radius,
       .standard = "",
       .placeholder = "R",
       .help = "hht (below 1), alf3 (from 0.5): damping of high frequencies, 1 none, 0 most",
       .note = "0.8, alf3 1",
       .range = {.least = 0, .most = 1}},
      {.key = "dynamics",
       .member = &Method::dynamics,
       .standard = "auto",
       .placeholder = "ENGINE",
       .help = "What computes accelerations: whole (matrices of the system), bodies (over the joint graph), tree "
               "(recursion)"},
      {.key = "rescue",
       .member = &Method::rescue,
       .standard = "on",
       .placeholder = "on|off",
       .help = "Help at singular positions and failures",
       .choices = {"on", "off"}},
      {.key = "max_steps",
       .member = &Method::max_steps,
       .standard = "",
       .placeholder = "N",
       .help = "Stop after N steps, accepted or not",
       .note = "1e7, or twice what a fixed step needs",
       .range = whole_numbers(1)},
      {.key = "time_limit",
       .member = &Method::time_limit,
       .standard = "",
       .placeholder = "S",
       .help = "Stop after S seconds; refuse what is known to take longer",
       .note = "none",
       .range = positive_numbers},  // by the clock on the wall, whatever the units of the model
      {.key = "memory_limit",
       .member = &Method::memory_limit,
       .standard = "",
       .placeholder = "MB",
       .help = "Stop where more than MB megabytes would be needed, by the run or by its results",
       .note = "none; 16 GB of results",
       .range = positive_numbers},
      {.key = "max_events",
       .member = &Method::max_events,
       .standard = "1e6",
       .placeholder = "N",
       .help = "Stop after N events, switches of states that were located",
       .range = whole_numbers(1)},
      {.key = "seed",
       .member = &Method::seed,
       .standard = "1",
       .placeholder = "N",
       .help = "Which way out of a singular reference the assembly tries",
       .range = whole_numbers(0, 4294967295)},
      {.key = "reuse",
       .member = &Method::reuse,
       .standard = "0",
       .placeholder = "X",
       .help = "Null-space methods: keep a null space while |P V| <= X |P| |V|",
       .note = ": never",
       .range = numbers_from_zero},
  };
  return options;
}

const MethodOption& method_option(const std::string& key) {
  for (const MethodOption& option : method_options()) {
    if (key == option.key) return option;
  }
  throw std::logic_error("no option '" + key + "'");
}

// --- NumberRange, MethodOption ---

bool NumberRange::contains(double value) const {
  return std::isfinite(value) && (open ? value > least : value >= least) && value <= most &&
         (!whole || value == std::floor(value));
}

std::string NumberRange::words() const {
  if (std::isfinite(most)) {
    return fmt::format("a {}number {} {} to {:.10g}", whole ? "whole " : "", open ? "above" : "from", least, most);
  }
  return open ? "a positive number" : "a number that is not negative";
}

std::string MethodOption::command_option() const { return "--" + with(key, '_', '-'); }

std::string MethodOption::words() const { return with(key, '_', ' '); }

std::string MethodOption::values() const {
  if (std::holds_alternative<double Method::*>(member))
    return range.words() + (by_row ? "; or a map of them by joint or constraint, and default" : "");
  if (std::holds_alternative<std::optional<bool> Method::*>(member)) return "true or false";
  return choices.empty() ? "a name" : fmt::format("{}", fmt::join(choices, " or "));
}

std::string MethodOption::default_words() const { return std::string(standard) + note; }

std::string MethodOption::command_help() const {
  const std::string words = default_words();
  if (words.empty() || words == "auto" || words == "false") return help;
  return fmt::format("{} (default{} {})", help, *standard == '\0' ? ":" : "", words);
}

// --- of a Method ---

const Method& method_defaults() {
  static const Method defaults = [] {
    Method method;
    for (const MethodOption& option : method_options()) {
      if (*option.standard == '\0') continue;
      std::visit([&](auto member) { assign(method.*member, option.standard); }, option.member);
    }
    return method;
  }();
  return defaults;
}

void Method::complete_from(const Method& fallback) {
  for (const MethodOption& option : method_options()) {
    std::visit(
        [&](auto member) {
          if (!is_set(this->*member)) this->*member = fallback.*member;
        },
        option.member);
  }
}

void complete_by_defaults(Method& method) {
  for (const MethodOption& option : method_options()) {
    const auto* name = std::get_if<std::string Method::*>(&option.member);
    if (name && method.*(*name) == "auto") (method.*(*name)).clear();
  }
  method.complete_from(method_defaults());
}

void require_valid(const Method& method) {
  for (const MethodOption& option : method_options())
    std::visit([&](auto member) { check_value(option, method.*member); }, option.member);
}

unsigned seed_of(const Method& method) {
  const double seed = is_set(method.seed) ? method.seed : method_defaults().seed;
  check_value(method_option("seed"), seed);
  return static_cast<unsigned>(seed);
}

}  // namespace bricard

// `bricard check`: the diagnosis of a model.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "bricard/diagnosis.h"
#include "bricard/load.h"
#include "commands/command.h"
#include "diagnosis/direction_words.h"
#include "io/report/diagnosis_report.h"
#include "io/results/diagnosis_json.h"
#include "joints/fundamental_circuits.h"

namespace bricard {
namespace {

struct CheckOptions {
  ModelOptions model;
  DiagnosisOptions diagnosis;
  std::string report;
};

void line(const char* label, const std::string& text) { fmt::print("  {:<20}{}\n", label, wrapped(text, 22)); }
void item(const std::string& text, int depth = 1) {
  const std::size_t indent = 2 + 2 * static_cast<std::size_t>(depth);
  fmt::print("{}{}\n", std::string(indent, ' '), wrapped(text, indent + 2));
}
void heading(const std::string& text) { fmt::print("  {}\n", wrapped(text, 4)); }

/// Ranks and choices are those of free bodies, whatever the set of the counts.
std::string of_free_bodies(const Diagnosis& d) { return d.coordinates == "reference-point" ? "" : " (of free bodies)"; }

void print_counts(const Model& model, const Diagnosis& d) {
  const Structure& s = d.structure;
  line("dimension", model.planar() ? "planar" : "spatial");
  line("bodies", std::to_string(model.bodies.size()));
  line("coordinates", fmt::format("{} ({})", s.coordinates, d.coordinates));
  line("constraints",
       fmt::format(
           "{}{}", s.constraints,
           s.velocity_constraints ? fmt::format(", {} of them at the velocity level", s.velocity_constraints) : ""));
  line("rank", std::to_string(s.rank));
  line("degrees of freedom", std::to_string(s.degrees_of_freedom));
  const RankDiagnosis& r = d.rank;
  if (r.measured && r.rows > 0) {
    const std::string beside = r.positions_tested == 0 ? "no position beside this one was found"
                                                       : fmt::format("rank {} at {} positions beside this one",
                                                                     r.generic_rank, r.positions_tested);
    line("decided by", fmt::format("singular values {:.2e} | {:.1e} of the largest; {}{}", r.smallest_counted,
                                   r.largest_neglected, beside, of_free_bodies(d)));
  } else if (!r.measured) {
    line("decided by", "a pivoted QR factorisation; too large for singular values and positions beside this one");
  }
  line("consistent", d.assembly.ok ? fmt::format("yes (positions to {:.1e}, velocities to {:.1e})",
                                                 d.assembly.position_error, d.assembly.velocity_error)
                                   : "no");
  for (const Displacement& moved : d.assembly.moved)
    line("moved by assembly", fmt::format("{} by {:.4g} m and {:.4g} rad", moved.body, moved.distance, moved.angle));
  if (!d.independent.coordinates.empty()) {
    line("independent", fmt::format("{} ({}, condition {:.3g}){}", listed(d.independent.coordinates),
                                    d.independent.selection, d.independent.condition, of_free_bodies(d)));
  }
}

/// Worth a line beside its group: fewer joints, or directions of one kind.
bool says_more(const MinimalGroup& minimal, const DependentGroup& group) {
  return minimal.loads.size() < group.loads.size() ||
         std::all_of(minimal.loads.begin(), minimal.loads.end(),
                     [](const SharedLoad& load) { return load.forces.cols() == 0 || load.moments.cols() == 0; });
}

void print_redundancy(const Diagnosis& d) {
  constexpr int most_minimal = 6;
  if (d.groups.empty()) return;
  const int excess = d.rank.rows - d.rank.rank;
  heading(fmt::format("over-constrained by {}, in {} group{} of redundant constraints:", excess, d.groups.size(),
                      d.groups.size() == 1 ? "" : "s"));
  for (const DependentGroup& group : d.groups) {
    item(group.sentence + group.here_only());
    int shown = 0, left = 0;
    for (const MinimalGroup& minimal : group.minimal) {
      if (!says_more(minimal, group)) continue;
      if (shown == most_minimal) {
        ++left;
      } else {
        item("- " + minimal.sentence, 2);
        ++shown;
      }
    }
    if (left > 0) item(fmt::format("- and {} more (--json lists them)", left), 2);
    if (!group.all_minimal) item("- and others that were not looked for", 2);
  }
  heading("reactions that are not unique (a convention chooses them, least norm unless `reactions` says otherwise):");
  for (const UniqueReaction& reaction : d.reactions) {
    if (!reaction.unique) item(reaction.joint + ": " + reaction.words);
  }
  std::vector<std::string> unique;
  for (const UniqueReaction& reaction : d.reactions) {
    if (reaction.unique) unique.push_back(reaction.joint);
  }
  if (!unique.empty()) heading("reactions that are unique: " + listed(unique));
  for (const UniqueResultant& resultant : d.resultants) {
    item(fmt::format("together, {} exert on {} what is {}", listed(resultant.joints), resultant.body_j,
                     resultant.unique ? "unique" : "not unique either"));
  }
  if (!d.releases.empty())
    heading("exactly constrained, with the same motion, by any of these changes (counted again):");
  for (const Release& release : d.releases) {
    std::string text;
    for (const JointChange& change : release.changes) text += (text.empty() ? "" : "; ") + change.words;
    item(fmt::format("{} ({} of rank {})", text,
                     release.constraints == 1 ? "1 constraint" : fmt::format("{} constraints", release.constraints),
                     release.rank));
  }
}

/// Fundamental circuits of gear trains.
void print_circuits(const Model& model) {
  std::istringstream table(circuits_table(model));
  bool first = true;
  for (std::string row; std::getline(table, row); first = false) {
    if (first) heading("fundamental circuits of the gear train:");
    fmt::print("    {}\n", row);
  }
}

int check(const CheckOptions& options) {
  check_files({{"--report", options.report}}, {{"MODEL", options.model.file}});
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  const std::unique_ptr<OutputFile> report = open_output(options.report);
  const Diagnosis d = diagnose(model, options.diagnosis);
  if (report) write_report(*report, diagnosis_report(model, d, "bricard check " + options.model.file));
  if (options.model.json) {
    fmt::print("{}\n", diagnosis_json(*model, d));
  } else {
    fmt::print("{}\n", title(*model));
    print_counts(*model, d);
    print_redundancy(d);
    print_circuits(*model);
    for (const std::string& message : d.messages) line("note", message);
  }
  return d.ok() ? success : failed_analysis;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Diagnose a model: degrees of freedom, redundant constraints, unique reactions");
  options->model.add_to(*command);
  DiagnosisOptions& d = options->diagnosis;
  add_method_option(*command, "coordinates", d.coordinates, "Coordinate set; see bricard methods");
  add_method_option(*command, "selection", d.selection, method_option("selection").command_help());
  add_method_option(*command, "reaction_length", d.reaction_length,
                    "Reactions of least norm: a moment counts as a force at this distance (default: the model's size)");
  add_limits(*command, d.time_limit, d.memory_limit);
  command->add_option("--report", options->report, "Write the diagnosis with a picture to FILE.html")
      ->type_name("FILE");
  command->footer(
      "Says whether the constraints can be satisfied and by how much not, how many are independent here and beside\n"
      "this position, which forces and moments of which joints are over-constrained, which reactions are therefore\n"
      "not unique, what spins idly or lacks inertia, and which changes of joint types would make the model exactly\n"
      "constrained.\n"
      "Exit code 1 if the model cannot be assembled or its motion is not determined.\n\n"
      "Examples:\n"
      "  bricard check models/bricard.yaml\n"
      "  bricard check models/mcpherson-overconstrained.yaml --coordinates euler-zxz --json");
  command->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace bricard

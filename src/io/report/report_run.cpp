#include "io/report/report_run.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "diagnosis/direction_words.h"
#include "io/results/column_units.h"

namespace bricard {
namespace {

// What the last part of a body's column is.
const std::map<std::string, const char*> body_quantities = {
    {"x", "Position"},
    {"y", "Position"},
    {"z", "Position"},
    {"angle", "Orientation angle"},
    {"qw", "Orientation quaternion"},
    {"qx", "Orientation quaternion"},
    {"qy", "Orientation quaternion"},
    {"qz", "Orientation quaternion"},
    {"vx", "Velocity"},
    {"vy", "Velocity"},
    {"vz", "Velocity"},
    {"omega", "Angular velocity"},
    {"wx", "Angular velocity"},
    {"wy", "Angular velocity"},
    {"wz", "Angular velocity"},
    {"ax", "Acceleration"},
    {"ay", "Acceleration"},
    {"az", "Acceleration"},
    {"alpha", "Angular acceleration"},
    {"alphax", "Angular acceleration"},
    {"alphay", "Angular acceleration"},
    {"alphaz", "Angular acceleration"},
};
const std::map<std::string, const char*> constraint_quantities = {
    {"constraint.position", "Constraint errors"},       {"constraint.velocity", "Constraint errors"},
    {"constraint.acceleration", "Constraint errors"},   {"constraint.rank", "Rank of the constraints"},
    {"singularity", "Nearness to a singular position"},
};

/// Uniqueness of joint -> component.
using Marks = std::map<std::string, std::map<std::string, bool>>;
Marks uniqueness(const Structure& structure) {
  Marks marks;
  for (const auto& [joint, components] : structure.reactions) {
    for (const auto& [component, unique] : components) marks[joint][component] = unique;
  }
  return marks;
}

std::string mark(const Marks& marks, const std::string& joint, const std::string& component) {
  const auto found = marks.find(joint);
  if (found == marks.end()) return "";
  const auto unique = found->second.find(component);
  return unique == found->second.end() ? "" : unique->second ? "unique" : "not unique";
}

class Classifier {
 public:
  Classifier(const Model& model, const Structure& structure) : model_(model), marks_(uniqueness(structure)) {
    for (const Body& body : model.bodies) bodies_.insert(body.name);
    for (const Joint& joint : model.joints) joints_.insert(joint.name);
    for (const auto& [name, expression] : model.outputs) outputs_.insert(name);
  }

  ReportColumn column(const std::string& name) const {
    ReportColumn column;
    column.name = name;
    column.unit = column_unit(model_, name);
    if (column.unit == "1") column.unit.clear();
    const std::size_t dot = name.find('.');
    const std::string owner = name.substr(0, dot), part = dot == std::string::npos ? "" : name.substr(dot + 1);
    const auto set = [&](const char* group, const char* quantity, const std::string& owned_by = "") {
      column.group = group, column.quantity = quantity, column.owner = owned_by;
    };
    if (outputs_.contains(name)) {
      set("Outputs", "Outputs");
      column.shown = true;
    } else if (owner == "energy") {
      set("Energy", "Energy");
      column.shown = true;
    } else if (const auto found = constraint_quantities.find(name); found != constraint_quantities.end()) {
      set("Constraints", found->second);
      column.logarithmic = name != "constraint.rank";
      column.shown = name != "constraint.acceleration";
    } else if (owner == "lambda" || owner == "phi" || owner == "phi_dot") {
      const std::string joint = part.substr(0, part.find('.'));
      set("Constraints", owner == "lambda" ? "Multipliers" : owner == "phi" ? "Phi" : "Phi'", joint);
    } else if (owner == "projective") {
      set("Constraints", "Quality of joint coordinates");
    } else if (const auto body = body_quantities.find(part); bodies_.contains(owner) && body != body_quantities.end()) {
      set("Bodies", body->second, owner);
    } else if (joints_.contains(owner) || part == "effort" || part == "power") {
      classify_joint(owner, part, column);
    } else {
      set("Others", "Others", owner);
    }
    return column;
  }

 private:
  /// Of a joint or a drive.
  void classify_joint(const std::string& owner, const std::string& part, ReportColumn& column) const {
    const bool drive = !joints_.contains(owner), turns = column.unit.starts_with("rad") || column.unit == "N m";
    column.owner = owner;
    column.group = drive ? "Drives" : "Reactions";
    if (part.size() == 2 && (part[0] == 'f' || part[0] == 'm')) {
      column.quantity = turns ? "Reaction moment" : "Reaction force";
    } else if (part == "power") {
      column.quantity = "Power";
    } else if (part.starts_with("effort")) {
      column.quantity = !drive ? "Effort" : turns ? "Drive torque" : "Drive force";
    } else if (part.starts_with("friction")) {
      column.quantity = turns ? "Friction torque" : "Friction force";
    } else {
      column.group = "Joints";
      column.quantity = part.starts_with("rate") ? (turns ? "Joint angular rate" : "Joint rate")
                        : turns                  ? "Joint angle"
                                                 : "Joint position";
    }
    if (column.group != "Joints") column.mark = mark(marks_, owner, part);
    column.shown = drive;
  }

  const Model& model_;
  Marks marks_;
  std::set<std::string> bodies_, joints_, outputs_;
};

/// Shows the first columns of what would otherwise be too many to read.
void choose_shown(std::vector<ReportColumn>& columns) {
  constexpr int most = 6;
  std::map<std::string, int> counts;
  for (ReportColumn& column : columns) {
    const bool wanted = column.quantity == "Joint angle" || column.quantity == "Joint position" ||
                        (column.quantity == "Reaction force" && column.values.size() > 1);
    if (wanted && counts[column.quantity]++ < most) column.shown = true;
  }
}

void put_change_of_energy(std::vector<ReportColumn>& columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].name != "energy.total") continue;
    ReportColumn change = columns[k];
    change.name = "energy.change", change.quantity = "Change of the total energy";
    for (double& value : change.values) value -= columns[k].values.front();
    columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(k) + 1, change);
    return;
  }
}

}  // namespace

ReportSeries report_series(const Model& model, const Structure& structure, const ReportSink& sink) {
  ReportSeries series;
  const int time = sink.find("time");
  if (time < 0) return series;
  series.time = sink.values(time);
  if (series.time.empty()) return series;
  if (sink.stride() > 1) series.note = fmt::format("Every {}th row of the run.", sink.stride());
  const Classifier classifier(model, structure);
  for (int k = 0; k < static_cast<int>(sink.columns().size()); ++k) {
    if (k == time) continue;
    ReportColumn column = classifier.column(sink.columns()[k]);
    column.values = sink.values(k);
    series.columns.push_back(std::move(column));
  }
  put_change_of_energy(series.columns);
  choose_shown(series.columns);
  return series;
}

ReportTable reaction_table(const Model& model, const Structure& structure, const ReportSink& sink) {
  using enum ReportTable::Kind;
  const Classifier classifier(model, structure);
  ReportTable table{.caption = "Joint reactions",
                    .header = {"joint", "component", "least", "greatest", "root mean square", "unit", "uniqueness"},
                    .kinds = {text, text, number, number, number, text, mark}};
  bool doubtful = false;
  for (int k = 0; k < static_cast<int>(sink.columns().size()); ++k) {
    const ReportColumn column = classifier.column(sink.columns()[k]);
    if ((column.group != "Reactions" && column.group != "Drives") || column.quantity == "Power") continue;
    const ReportSink::Extent extent = sink.extent(k);
    const auto figure = [](double value) { return fmt::format("{:.5g}", value); };
    table.rows.push_back({column.owner, column.name.substr(column.name.rfind('.') + 1), figure(extent.least),
                          figure(extent.greatest), figure(extent.root_mean_square), column.unit, column.mark});
    doubtful = doubtful || column.mark == "not unique";
  }
  table.note = "World axes: what the first body of a joint exerts on the second one, at the joint.";
  if (doubtful) {
    table.note +=
        " A reaction that is not unique is one of many that give the same motion: redundant constraints share the load "
        "in a way that rigid bodies do not determine. Judged at the start.";
  }
  return table;
}

ReportData run_report(const std::shared_ptr<const Model>& model, const Summary& summary, const ReportSink& sink) {
  ReportData report;
  report.title = model->name.empty() ? model->file : model->name;
  report.failure = summary.ok() ? "" : summary.failure;
  report.messages = summary.messages;
  report.model = model;
  report.series = report_series(*model, summary.structure, sink);
  ReportTable reactions = reaction_table(*model, summary.structure, sink);
  if (!reactions.rows.empty()) report.tables.push_back(std::move(reactions));
  return report;
}

void add_diagnosis(ReportData& report, const Diagnosis& d) {
  ReportSection redundancy{"Redundant constraints", {}};
  for (const DependentGroup& group : d.groups) redundancy.sentences.push_back(group.sentence);
  ReportSection reactions{"Reactions that are not unique", {}};
  for (const UniqueReaction& reaction : d.reactions) {
    if (!reaction.unique) reactions.sentences.push_back(reaction.joint + ": " + reaction.words);
  }
  for (const UniqueResultant& resultant : d.resultants) {
    reactions.sentences.push_back(fmt::format("together, {} exert on {} what is {}", listed(resultant.joints),
                                              resultant.body_j, resultant.unique ? "unique" : "not unique either"));
  }
  ReportSection releases{"Changes that make it exactly constrained, with the same motion", {}};
  for (const Release& release : d.releases) {
    std::string changes;
    for (const JointChange& change : release.changes) changes += (changes.empty() ? "" : "; ") + change.words;
    releases.sentences.push_back(
        fmt::format("{} ({} constraints of rank {})", changes, release.constraints, release.rank));
  }
  for (ReportSection* section : {&redundancy, &reactions, &releases}) {
    if (!section->sentences.empty()) report.sections.push_back(std::move(*section));
  }
}

}  // namespace bricard

#include "io/report/diagnosis_report.h"

#include <fmt/format.h>

#include "diagnosis/direction_words.h"

namespace bricard {
namespace {

ReportSection groups_section(const Diagnosis& d) {
  ReportSection section{.heading = "Redundant constraints", .sentences = {}};
  for (const DependentGroup& group : d.groups) {
    section.sentences.push_back(group.sentence + group.here_only());
    for (const MinimalGroup& minimal : group.minimal) section.sentences.push_back("– " + minimal.sentence);
  }
  return section;
}

ReportSection proposals_section(const Diagnosis& d) {
  ReportSection section{.heading = "Exactly constrained, with the same motion, by any of these changes",
                        .sentences = {}};
  for (const Release& release : d.releases) {
    std::vector<std::string> changes;
    for (const JointChange& change : release.changes) changes.push_back(change.words);
    section.sentences.push_back(
        fmt::format("{} ({} constraints of rank {})", listed(changes), release.constraints, release.rank));
  }
  return section;
}

ReportTable reactions_table(const Diagnosis& d) {
  ReportTable table{.caption = "Reactions", .header = {"Joint", "Component", "Mark", "Which directions"}};
  table.kinds = {ReportTable::Kind::text, ReportTable::Kind::text, ReportTable::Kind::mark, ReportTable::Kind::text};
  for (const UniqueReaction& reaction : d.reactions) {
    for (const auto& [component, unique] : reaction.components)
      table.rows.push_back({reaction.joint, component, unique ? "unique" : "not unique", unique ? "" : reaction.words});
  }
  return table;
}

}  // namespace

ReportData diagnosis_report(const std::shared_ptr<const Model>& model, const Diagnosis& d, const std::string& command) {
  const Structure& s = d.structure;
  ReportData data;
  data.title = "Diagnosis: " + (model->name.empty() ? model->file : model->name);
  data.command = command;
  data.model = model;
  if (!d.assembly.ok) data.failure = d.assembly.message;
  for (const BodyState& body : d.bodies) {
    const Quaternion orientation =
        model->planar() ? Quaternion(Eigen::AngleAxisd(body.angle, Vec3::UnitZ())) : body.orientation;
    data.placements.push_back({body.center, orientation});
  }
  data.summary = {{"degrees of freedom", std::to_string(s.degrees_of_freedom)},
                  {"coordinates", fmt::format("{} ({})", s.coordinates, d.coordinates)},
                  {"constraints", fmt::format("{} of rank {}", s.constraints, s.rank)}};
  if (d.rank.measured && d.rank.rows > 0) {
    data.summary.push_back({"rank", fmt::format("{} here, {} at {} positions beside; singular values {:.2e} | {:.1e}",
                                                d.rank.rank, d.rank.generic_rank, d.rank.positions_tested,
                                                d.rank.smallest_counted, d.rank.largest_neglected)});
  }
  data.messages = d.messages;
  if (!d.groups.empty()) data.sections.push_back(groups_section(d));
  if (!d.releases.empty()) data.sections.push_back(proposals_section(d));
  data.tables.push_back(reactions_table(d));
  if (d.rank.singular_values.size() > 0) {
    ReportPlot plot{.title = "Singular values of the constraints", .x_label = "number", .y_label = "over the largest"};
    plot.y_logarithmic = true;
    ReportPlot::Curve curve{.name = "singular values", .x = {}, .y = {}, .line = false, .points = true};
    for (int k = 0; k < d.rank.singular_values.size(); ++k) {
      curve.x.push_back(k + 1);
      curve.y.push_back(std::max(d.rank.singular_values[k], 1e-18));
    }
    plot.curves.push_back(std::move(curve));
    data.plots.push_back(std::move(plot));
  }
  return data;
}

}  // namespace bricard

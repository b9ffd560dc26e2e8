#include "io/report/compare_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "io/results/json_writer.h"

namespace bricard {
namespace {

std::string short_number(double number) { return fmt::format("{:.1e}", number); }

/// The first sentence of a refusal is enough for a table.
std::string first_sentence(const std::string& text) {
  const std::size_t end = text.find("; use ");
  return end == std::string::npos ? text : text.substr(0, end);
}

/// Completed ones as ranked, then those that stopped, then those that were refused.
std::vector<const ComparedRun*> sorted(const Comparison& comparison) {
  std::vector<const ComparedRun*> order = comparison.ranking();
  for (const ComparedRun& run : comparison.runs) {
    if (run.ran() && !run.completed()) order.push_back(&run);
  }
  for (const ComparedRun& run : comparison.runs) {
    if (!run.ran()) order.push_back(&run);
  }
  return order;
}

/// The engine in a word, and the rescues.
std::string engine_of(const ComparedRun& run) { return run.summary.chosen.method.dynamics; }

struct Column {
  const char* title;
  std::string (*value)(const ComparedRun& run);
};

const std::vector<Column>& columns() {
  static const std::vector<Column> list = {
      {"dynamics", engine_of},
      {"rescues", [](const ComparedRun& r) { return std::to_string(r.summary.rescues.size()); }},
      {"CPU s", [](const ComparedRun& r) { return fmt::format("{:.4f}", r.cpu_seconds); }},
      {"evaluations", [](const ComparedRun& r) { return std::to_string(r.summary.evaluations); }},
      {"steps", [](const ComparedRun& r) { return std::to_string(r.summary.steps); }},
      {"Newton", [](const ComparedRun& r) { return std::to_string(r.summary.newton_iterations); }},
      {"switches", [](const ComparedRun& r) { return std::to_string(r.summary.renewals); }},
      {"error", [](const ComparedRun& r) { return short_number(r.error); }},
      {"energy", [](const ComparedRun& r) { return short_number(r.summary.energy_drift); }},
      {"|Phi|", [](const ComparedRun& r) { return short_number(r.summary.constraint_position_max); }},
      {"|Phi'|", [](const ComparedRun& r) { return short_number(r.summary.constraint_velocity_max); }},
      {"|Phi''|", [](const ComparedRun& r) { return short_number(r.constraint_acceleration_max); }},
  };
  return list;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::size_t width = 6;
  for (const ComparedRun& run : comparison.runs) width = std::max(width, run.name.size());
  std::string text = fmt::format("  reference: {}\n  {:<{}}", comparison.reference_name, "method", width);
  for (const Column& column : columns()) text += fmt::format("{:>12}", column.title);
  text += '\n';
  for (const ComparedRun* run : sorted(comparison)) {
    text += fmt::format("  {:<{}}", run->name, width);
    if (!run->ran()) {
      text += "  refused: " + first_sentence(run->refusal) + '\n';
      continue;
    }
    for (const Column& column : columns()) text += fmt::format("{:>12}", column.value(*run));
    if (!run->completed()) text += fmt::format("  stopped at {:.4g} s", run->summary.time);
    text += '\n';
  }
  return text;
}

std::string comparison_csv(const Comparison& comparison) {
  std::string text =
      "method,coordinates,formulation,dynamics,pseudoinverse,stabilization,integrator,tolerance,status,time,rescues,"
      "cpu_seconds,"
      "evaluations,steps,rejected,newton_iterations,switches,error,energy_drift,constraint_position_max,"
      "constraint_velocity_max,constraint_acceleration_max,reason\n";
  for (const ComparedRun& run : comparison.runs) {
    const Summary& s = run.summary;
    const Method& m = run.ran() ? s.chosen.method : run.asked;
    text += fmt::format("{},{},{},{},{},{},{},{}", quoted(run.name), m.coordinates, m.formulation, m.dynamics,
                        m.pseudoinverse, m.stabilization, m.integrator,
                        std::isnan(m.tolerance) ? "" : fmt::format("{}", m.tolerance));
    if (!run.ran()) {
      text += fmt::format(",refused,,,,,,,,,,,,,,{}\n", quoted(run.refusal));
      continue;
    }
    text += fmt::format(",{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.completed() ? "completed" : "stopped",
                        s.time, s.rescues.size(), run.cpu_seconds, s.evaluations, s.steps, s.rejected,
                        s.newton_iterations, s.renewals, run.error, s.energy_drift, s.constraint_position_max,
                        s.constraint_velocity_max, run.constraint_acceleration_max, quoted(s.failure));
  }
  return text;
}

std::string comparison_json(const Comparison& comparison) {
  JsonWriter json;
  json.begin_object();
  if (comparison.interrupted) json.member("status", "interrupted");
  json.member("model", comparison.model).member("reference", comparison.reference_name);
  json.member("combinations", static_cast<long>(comparison.runs.size()))
      .member("refused", comparison.refused())
      .member("failed", comparison.failed());
  json.key("verdict").begin_array();
  for (const std::string& sentence : comparison.verdict()) json.value(sentence);
  json.end_array().key("runs").begin_array();
  for (const ComparedRun* run : sorted(comparison)) {
    const Summary& s = run->summary;
    const Method& m = run->ran() ? s.chosen.method : run->asked;
    json.begin_object().member("name", run->name);
    json.member("status", !run->ran() ? "refused" : run->completed() ? "completed" : "stopped");
    json.member("coordinates", m.coordinates)
        .member("formulation", m.formulation)
        .member("dynamics", run->ran() ? s.dynamics : m.dynamics)
        .member("pseudoinverse", m.pseudoinverse)
        .member("stabilization", m.stabilization)
        .member("integrator", m.integrator)
        .member("tolerance", m.tolerance);
    if (!run->ran()) {
      json.member("reason", run->refusal).end_object();
      continue;
    }
    json.member("time", s.time)
        .member("rescues", static_cast<long>(s.rescues.size()))
        .member("cpu_seconds", run->cpu_seconds)
        .member("evaluations", s.evaluations)
        .member("steps", s.steps)
        .member("rejected", s.rejected)
        .member("newton_iterations", s.newton_iterations)
        .member("switches", s.renewals)
        .member("error", run->error)
        .member("energy_drift", s.energy_drift)
        .member("constraint_position_max", s.constraint_position_max)
        .member("constraint_velocity_max", s.constraint_velocity_max)
        .member("constraint_acceleration_max", run->constraint_acceleration_max)
        .member("reason", s.failure)
        .end_object();
  }
  json.end_array().end_object();
  return json.text();
}

ReportData comparison_report(const std::shared_ptr<const Model>& model, const Comparison& comparison,
                             const std::string& command) {
  ReportData data;
  data.title = "Methods compared: " + (model->name.empty() ? model->file : model->name);
  data.command = command;
  data.model = model;
  const std::size_t completed = comparison.ranking().size();
  data.summary = {
      {"combinations", fmt::format("{}: {} completed, {} stopped early, {} do not fit", comparison.runs.size(),
                                   completed, comparison.failed(), comparison.refused())},
      {"reference", comparison.reference_name},
      {"error", "largest difference of the bodies' places, in characteristic lengths or rad"}};
  data.sections.push_back({"Verdict", comparison.verdict()});

  ReportTable table{.caption = "All combinations, best first", .header = {"Method"}};
  table.kinds = {ReportTable::Kind::text};
  for (const Column& column : columns()) {
    table.header.emplace_back(column.title);
    table.kinds.push_back(column.value == engine_of ? ReportTable::Kind::text : ReportTable::Kind::number);
  }
  table.header.emplace_back("Remark");
  table.kinds.push_back(ReportTable::Kind::text);
  for (const ComparedRun* run : sorted(comparison)) {
    std::vector<std::string> row = {run->name};
    for (const Column& column : columns()) row.push_back(run->ran() ? column.value(*run) : "");
    row.push_back(!run->ran() ? "refused: " + first_sentence(run->refusal) : run->summary.failure);
    table.rows.push_back(std::move(row));
  }
  data.tables.push_back(std::move(table));

  // Work against precision: one curve for each formulation and stabilisation, its points by tolerance.
  ReportPlot work{.title = "Work against precision", .x_label = "error", .y_label = "CPU time, s"};
  work.x_logarithmic = work.y_logarithmic = true;
  std::map<std::string, ReportPlot::Curve> curves;
  for (const ComparedRun* run : comparison.ranking()) {
    const Method& m = run->summary.chosen.method;
    const std::string name = fmt::format("{} ({}) {} {}", m.formulation, m.dynamics, m.stabilization, m.integrator);
    curves[name].name = name;
    curves[name].x.push_back(std::max(run->error, 1e-16));
    curves[name].y.push_back(run->cpu_seconds);
  }
  for (auto& entry : curves) {
    auto& curve = entry.second;
    const std::string& name = entry.first;
    std::vector<std::size_t> order(curve.x.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return curve.x[a] < curve.x[b]; });
    ReportPlot::Curve ordered{.name = name, .x = {}, .y = {}};
    for (const std::size_t k : order) ordered.x.push_back(curve.x[k]), ordered.y.push_back(curve.y[k]);
    work.curves.push_back(std::move(ordered));
  }
  data.plots.push_back(std::move(work));

  // Drift over time, of the best and of those that drift most.
  constexpr std::size_t most = 12;
  const auto drift = [&](const char* title, std::vector<double> ComparedRun::*values) {
    ReportPlot plot{.title = title, .x_label = "time, s", .y_label = ""};
    plot.y_logarithmic = true;
    for (const ComparedRun* run : sorted(comparison)) {
      if (!run->ran() || plot.curves.size() == most) break;
      ReportPlot::Curve curve{.name = run->name, .x = {}, .y = {}, .line = true, .points = false};
      const std::size_t every = std::max<std::size_t>(1, run->times.size() / 500);
      for (std::size_t k = 0; k < run->times.size(); k += every) {
        curve.x.push_back(run->times[k]);
        curve.y.push_back(std::max(std::abs((run->*values)[k]), 1e-17));
      }
      plot.curves.push_back(std::move(curve));
    }
    data.plots.push_back(std::move(plot));
  };
  drift("Violation of the constraints, positions", &ComparedRun::position);
  drift("Violation of the constraints, velocities", &ComparedRun::velocity);
  drift("Change of the energy, J", &ComparedRun::energy);
  return data;
}

}  // namespace bricard

// `bricard run`: simulates a model.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "analyses/choice/choose_state.h"
#include "analyses/run/no_sink.h"
#include "analyses/run/recorder.h"
#include "analyses/run/run_diagnostics.h"
#include "bricard/load.h"
#include "bricard/simulate.h"
#include "commands/command.h"
#include "commands/interruption.h"
#include "commands/progress_bar.h"
#include "io/report/report_run.h"
#include "io/results/chosen_columns.h"
#include "io/results/file_sink.h"
#include "io/results/json_writer.h"

namespace bricard {
namespace {

struct RunOptions {
  ModelOptions model;
  Method method;
  std::string output;
  std::vector<std::string> columns;
  std::string report;
};

std::string counted(int count, const std::string& word) {
  std::string plural = word.ends_with("y") ? word.substr(0, word.size() - 1) + "ies" : word + "s";
  if (word == "degree of freedom") plural = "degrees of freedom";
  return fmt::format("{} {}", count, count == 1 ? word : plural);
}

/// What a run did, line by line: for the terminal and for a report.
std::vector<ReportFact> summary_lines(const Model& model, const Summary& s, const RunOptions& options) {
  const Structure& structure = s.structure;
  const Method& m = s.chosen.method;
  std::vector<ReportFact> lines;
  const auto line = [&](const char* label, const std::string& text) { lines.push_back({label, text}); };
  line("mechanism", fmt::format("{}, {}, {}, {}, {}", model.planar() ? "planar" : "spatial",
                                counted(static_cast<int>(model.bodies.size()), "body"),
                                counted(static_cast<int>(model.joints.size()), "joint"),
                                counted(static_cast<int>(model.motions.size()), "motion"),
                                counted(static_cast<int>(model.forces.size()), "force")));
  const int redundant = structure.constraints - structure.rank;
  line("freedom", fmt::format("{}: {} coordinates, {} constraints of rank {}{}",
                              counted(structure.degrees_of_freedom, "degree of freedom"), structure.coordinates,
                              structure.constraints, structure.rank,
                              redundant > 0 ? fmt::format(" ({} redundant)", redundant) : ""));
  if (!s.moved_by_assembly.empty()) {
    double distance = 0, angle = 0;
    for (const Displacement& moved : s.moved_by_assembly)
      distance = std::max(distance, moved.distance), angle = std::max(angle, moved.angle);
    line("assembly", fmt::format("moved {} by up to {:.3g} m and {:.3g} rad from the reference",
                                 counted(static_cast<int>(s.moved_by_assembly.size()), "body"), distance, angle));
  }
  line("method",
       fmt::format("{}, {}, {}, {}, {}", m.coordinates, name_with_state(m, *find_formulation_type(m.formulation)),
                   m.stabilization == "none" ? "no stabilisation" : m.stabilization, m.integrator,
                   m.step > 0 ? fmt::format("step {:g}", m.step) : fmt::format("tolerance {:g}", m.tolerance)));
  line("dynamics", s.dynamics);
  line("why", s.chosen.reason);
  line("run", fmt::format("{}{:g} s in {} steps ({} rejected), {} evaluations, {:.3f} s of CPU",
                          s.interrupted ? fmt::format("interrupted at t = {:.9g} s: ", s.time) : "", s.time, s.steps,
                          s.rejected, s.evaluations, s.cpu_seconds));
  line("constraints", fmt::format("drift at most {:.2e} (positions), {:.2e} (velocities)", s.constraint_position_max,
                                  s.constraint_velocity_max));
  line("energy", fmt::format("drift at most {:.2e} J of {:.4g} J exchanged", s.energy_drift, s.energy_scale));
  constexpr std::size_t most_rescues = 6;
  for (std::size_t k = 0; k < std::min(s.rescues.size(), most_rescues); ++k)
    line("rescue", fmt::format("at t = {:.6g} s {}", s.rescues[k].time, s.rescues[k].what));
  if (s.rescues.size() > most_rescues)
    line("rescue", fmt::format("and {} more; --json has them all", s.rescues.size() - most_rescues));
  if (!options.output.empty() && s.outputs > 0)
    line("output", fmt::format("{} ({} rows, {} columns)", options.output, s.outputs,
                               chosen_columns(options.columns, s.columns).size()));
  return lines;
}

void print_text(const Model& model, const Summary& s, const RunOptions& options) {
  const auto line = [](const std::string& label, const std::string& text) {
    fmt::print("  {:<13}{}\n", label, wrapped(text, 15));
  };
  fmt::print("{}\n", title(model));
  for (const ReportFact& fact : summary_lines(model, s, options)) line(fact.label, fact.text);
  if (!options.report.empty()) line("report", options.report);
  for (const std::string& message : s.messages) line("note", message);
}

void print_json(const Model& model, const Summary& s) {
  const Method& m = s.chosen.method;
  JsonWriter json;
  json.begin_object();
  json.member("status", s.ok() ? "ok" : s.interrupted ? "interrupted" : "failed").member("model", model.name);
  json.member("coordinates", m.coordinates)
      .member("formulation", m.formulation)
      .member("state", m.state)
      .member("stabilization", m.stabilization);
  json.member("pseudoinverse", m.pseudoinverse).member("selection", m.selection).member("reactions", m.reactions);
  json.member("threshold", m.threshold).member("reuse", m.reuse).member("step", m.step);
  json.member("dynamics", s.dynamics).member("engine", m.dynamics).member("rescue", m.rescue);
  json.member("integrator", m.integrator).member("tolerance", m.tolerance).member("reason", s.chosen.reason);
  json.member("duration", m.duration).member("time", s.time).member("steps", s.steps).member("rejected", s.rejected);
  json.member("evaluations", s.evaluations).member("cpu_seconds", s.cpu_seconds);
  json.member("degrees_of_freedom", s.structure.degrees_of_freedom)
      .member("constraints", s.structure.constraints)
      .member("rank", s.structure.rank);
  json.member("constraint_position_max", s.constraint_position_max)
      .member("constraint_velocity_max", s.constraint_velocity_max);
  json.member("energy_drift", s.energy_drift).member("energy_scale", s.energy_scale);
  json.key("rescues").begin_array();
  for (const Rescue& rescue : s.rescues)
    json.begin_object().member("time", rescue.time).member("what", rescue.what).end_object();
  json.end_array();
  json.key("final").begin_object();
  for (int k = 0; k < s.final.size(); ++k) json.member(s.columns[k], s.final[k]);
  json.end_object();
  json.key("not_unique").begin_array();
  for (const std::string& column : s.notes.not_unique) json.value(column);
  json.end_array();
  if (!s.notes.convention.empty()) json.member("reactions_reported", s.notes.convention);
  json.key("messages").begin_array();
  for (const std::string& message : s.messages) json.value(message);
  if (!s.ok()) json.value(s.failure);
  json.end_array();
  json.end_object();
  fmt::print("{}\n", json.text());
}

void write_run_report(const std::shared_ptr<const Model>& model, const Summary& summary, const ReportSink& rows,
                      const RunOptions& options, OutputFile& file) {
  ReportData report = run_report(model, summary, rows);
  report.command = "bricard run " + options.model.file;
  for (const std::string& setting : options.model.settings) report.command += fmt::format(" --set '{}'", setting);
  report.summary = summary_lines(*model, summary, options);
  if (summary.structure.rank < summary.structure.constraints) add_diagnosis(report, diagnose(model));
  write_report(file, report);
}

int run(const RunOptions& options) {
  check_files({{"--output", options.output}, {"--report", options.report}}, {{"MODEL", options.model.file}});
  check_report_name(options.report);
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  const Interruption interruption;
  const std::unique_ptr<OutputFile> report = open_output(options.report);
  NoSink nothing;
  std::unique_ptr<Sink> file;
  if (!options.output.empty()) file = open_file_sink(options.output, options.columns);
  ProgressBar bar(!options.model.json);
  Method method = options.method;
  for (const std::string& column : options.columns) {
    if (is_diagnostic_column(column)) method.diagnostics = true;
    if (is_row_column(column)) method.row_columns = true;
  }
  ReportSink rows(file.get());
  Sink& sink = !options.report.empty() ? rows : file ? *file : static_cast<Sink&>(nothing);
  const Summary summary =
      simulate(model, method, sink, {.progress = std::ref(bar), .interrupted = Interruption::noted});
  bar.clear();
  file.reset();
  if (report) write_run_report(model, summary, rows, options, *report);

  if (options.model.json) {
    print_json(*model, summary);
  } else {
    print_text(*model, summary, options);
  }
  if (summary.ok()) return success;
  if (!options.model.json) {
    fmt::print(stderr, "{}{}\n", summary.failure,
               options.output.empty() || summary.outputs == 0
                   ? ""
                   : fmt::format(" The {} rows up to there are in {}.", summary.outputs, options.output));
  }
  return summary.interrupted ? Interruption::exit_code() : failed_analysis;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a model");
  options->model.add_to(*command);
  command->add_option("-o,--output", options->output, "Write the results to FILE.csv, FILE.json or FILE.h5")
      ->type_name("FILE");
  command->add_option("--report", options->report, "Write a page with animation, plots and tables to FILE.html")
      ->type_name("FILE");
  command
      ->add_option("--columns", options->columns,
                   "Columns to write: names, or body.* for all of a body; diagnostic ones too")
      ->delimiter(',')
      ->type_name("LIST");
  add_method_options(*command, options->method);
  command->footer(
      "Assembles the model, chooses what is left to `auto`, refuses what does not fit, integrates, and prints what\n"
      "it did, why, and how well the constraints and the energy were kept. A run that fails or is\n"
      "interrupted (Ctrl-C) keeps its rows; until it ends they are in FILE.unfinished. What is not given here is as\n"
      "the model says under `simulation:`, then the default.\n\n"
      "Examples:\n"
      "  bricard run models/pendulum.yaml\n"
      "  bricard run models/five-bar.yaml --output out/five-bar.csv --columns 'link1.*,energy.total'\n"
      "  bricard run models/bricard.yaml --report out/bricard.html\n"
      "  bricard run models/mcpherson.yaml --formulation lagrange --stabilization baumgarte --tolerance 1e-8\n"
      "  bricard run models/double-pendulum.yaml --set theta0='-45 deg' --integrator rk4 --step 0.001 --json");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace bricard

// `bricard kinematics`: the motion of a driven mechanism, and what its drives have to give.
#include "bricard/kinematics.h"

#include <fmt/format.h>

#include "analyses/run/no_sink.h"
#include "bricard/load.h"
#include "commands/command.h"
#include "commands/efforts.h"
#include "commands/interruption.h"
#include "io/results/chosen_columns.h"
#include "io/results/file_sink.h"

namespace bricard {
namespace {

struct KinematicsCommand {
  ModelOptions model;
  Method method;
  std::string output;
  std::vector<std::string> columns;
  bool hold = false;
};

void print_text(const Model& model, const KinematicsSummary& s, const KinematicsCommand& options) {
  const Structure& structure = s.structure;
  fmt::print("{}\n", title(model));
  const int redundant = structure.constraints - structure.rank;
  print_line("mechanism",
             fmt::format("{}, {} drive{}, {} coordinates, {} constraints of rank {}{}",
                         model.planar() ? "planar" : "spatial", model.motions.size(),
                         model.motions.size() == 1 ? "" : "s", structure.coordinates, structure.constraints,
                         structure.rank, redundant > 0 ? fmt::format(" ({} redundant)", redundant) : ""));
  if (s.outputs > 0) {
    print_line("motion", fmt::format("{:g} s in {} steps, {} outputs, {:.3f} s of CPU", s.time, s.steps, s.outputs,
                                     s.cpu_seconds));
    print_line("constraints", fmt::format("errors at most {:.2e} (positions), {:.2e} (velocities)",
                                          s.constraint_position_max, s.constraint_velocity_max));
  }
  print_efforts(s.efforts);
  if (!options.output.empty() && s.outputs > 0)
    print_line("output", fmt::format("{} ({} rows, {} columns)", options.output, s.outputs,
                                     chosen_columns(options.columns, s.columns).size()));
  for (const std::string& message : s.messages) print_line("note", message);
}

void print_json(const Model& model, const KinematicsSummary& s) {
  JsonWriter json;
  json.begin_object();
  json.member("status", s.ok() ? "ok" : s.interrupted ? "interrupted" : "failed").member("model", model.name);
  json.member("duration", s.duration).member("time", s.time).member("steps", s.steps).member("outputs", s.outputs);
  json.member("cpu_seconds", s.cpu_seconds);
  json.member("degrees_of_freedom", s.structure.degrees_of_freedom)
      .member("constraints", s.structure.constraints)
      .member("rank", s.structure.rank);
  json.member("constraint_position_max", s.constraint_position_max)
      .member("constraint_velocity_max", s.constraint_velocity_max);
  json.key("singular_times").begin_array();
  for (double t : s.singular_times) json.value(t);
  json.end_array();
  write_efforts(s.efforts, json);
  json.key("final").begin_object();
  for (int k = 0; k < s.final.size(); ++k) json.member(s.columns[k], s.final[k]);
  json.end_object();
  json.key("messages").begin_array();
  for (const std::string& message : s.messages) json.value(message);
  if (!s.ok()) json.value(s.failure);
  json.end_array();
  json.end_object();
  fmt::print("{}\n", json.text());
}

int run(const KinematicsCommand& options) {
  check_files({{"--output", options.output}}, {{"MODEL", options.model.file}});
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  const Interruption interruption;
  NoSink nothing;
  std::unique_ptr<Sink> file;
  if (!options.output.empty()) file = open_file_sink(options.output, options.columns);
  const KinematicsSummary summary = kinematics(model, options.method, file ? *file : nothing,
                                               {.hold = options.hold, .interrupted = Interruption::noted});
  file.reset();
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

void add_kinematics(CLI::App& app, Action& action) {
  auto options = std::make_shared<KinematicsCommand>();
  CLI::App* command =
      app.add_subcommand("kinematics", "Motion and drive efforts of a mechanism with all degrees of freedom driven");
  options->model.add_to(*command);
  command->add_option("-o,--output", options->output, "Write the results to FILE.csv, FILE.json or FILE.h5")
      ->type_name("FILE");
  command->add_option("--columns", options->columns, "Columns to write: names, or body.* for all of a body")
      ->delimiter(',')
      ->type_name("LIST");
  add_method_options(*command, options->method, {"duration", "output_step", "reactions"});
  command->add_flag("--hold", options->hold, "Keep degrees of freedom that nothing drives (idle spins) at rest");
  add_limits(*command, options->method.time_limit, options->method.memory_limit);
  command->footer(
      "Positions from the constraints and the laws of `motions:`, without integrating; velocities, accelerations\n"
      "(columns b.ax b.ay b.alpha), then by inverse dynamics the efforts and powers of the drives and the reactions.\n"
      "Says which joints are to be driven if degrees of freedom are left, and where drives contradict each other\n"
      "or lock.\n\n"
      "Examples:\n"
      "  bricard kinematics models/driven-four-bar.yaml\n"
      "  bricard kinematics models/driven-slider-crank.yaml --output out/crank.csv --columns time,slider.*,drive.*\n"
      "  bricard kinematics models/driven-four-bar.yaml --set l1=1.6        where the crank locks");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace bricard

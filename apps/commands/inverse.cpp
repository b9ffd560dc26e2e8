// `bricard inverse`: the efforts that a given motion needs.
#include <fmt/format.h>

#include "analyses/run/no_sink.h"
#include "bricard/inverse_dynamics.h"
#include "bricard/load.h"
#include "commands/command.h"
#include "commands/efforts.h"
#include "commands/interruption.h"
#include "io/results/chosen_columns.h"
#include "io/results/csv_reader.h"
#include "io/results/file_sink.h"

namespace bricard {
namespace {

struct InverseCommand {
  ModelOptions model;
  Method method;
  std::string motion, output;
  bool from_run = false;
  std::vector<std::string> columns, actuate, weights;
  double largest_residual = InverseOptions().largest_residual;
};

void print_text(const Model& model, const InverseSummary& s, const InverseCommand& options) {
  fmt::print("{}\n", title(model));
  print_line("motion", fmt::format("{}, {:g} s to {:g} s, {} outputs, {:.3f} s of CPU", s.motion, s.start, s.end,
                                   s.outputs, s.cpu_seconds));
  if (!s.actuated.empty())
    print_line("actuated", fmt::format("{}: {} for {} degree{} of freedom", enumeration(s.actuated), s.actuated.size(),
                                       s.freedoms, s.freedoms == 1 ? "" : "s"));
  std::string corrections;
  for (const auto& [correction, unit] : {std::pair{&s.length_correction, "m"}, {&s.angle_correction, "rad"}}) {
    if (correction->column.empty()) continue;
    corrections +=
        fmt::format("{}{} by {:.2e} {}", corrections.empty() ? "" : ", ", correction->column, correction->size, unit);
  }
  if (!corrections.empty()) print_line("correction", "to satisfy the constraints at most " + corrections);
  print_efforts(s.efforts);
  if (!options.output.empty() && s.outputs > 0)
    print_line("output", fmt::format("{} ({} rows, {} columns)", options.output, s.outputs,
                                     chosen_columns(options.columns, s.columns).size()));
  for (const std::string& message : s.messages) print_line("note", message);
}

void print_json(const Model& model, const InverseSummary& s) {
  JsonWriter json;
  json.begin_object();
  json.member("status", s.ok()          ? "ok"
                        : s.interrupted ? "interrupted"
                                        : "failed")
      .member("model", model.name)
      .member("motion", s.motion);
  json.member("start", s.start).member("end", s.end).member("outputs", s.outputs).member("cpu_seconds", s.cpu_seconds);
  json.key("actuated").begin_array();
  for (const std::string& name : s.actuated) json.value(name);
  json.end_array();
  json.member("degrees_of_freedom", s.freedoms).member("efforts_are_unique", s.efforts_are_unique);
  json.member("residual", s.residual).member("residual_time", s.residual_time);
  json.member("length_correction", s.length_correction.size).member("angle_correction", s.angle_correction.size);
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

/// NAME=NUMBER
std::map<std::string, double> read_weights(const std::vector<std::string>& texts) {
  std::map<std::string, double> weights;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    char* end = nullptr;
    const double weight = equals == std::string::npos ? 0 : std::strtod(text.c_str() + equals + 1, &end);
    if (!end || *end != '\0' || end == text.c_str() + equals + 1)
      throw InputError(fmt::format("--weights {}: expected joint=number", text));
    weights[text.substr(0, equals)] = weight;
  }
  return weights;
}

int run(const InverseCommand& options) {
  check_files({{"--output", options.output}}, {{"MODEL", options.model.file}, {"--motion", options.motion}});
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  if (options.from_run && !options.motion.empty())
    throw InputError("--from-run and --motion exclude each other: where does the motion come from?");
  InverseOptions inverse;
  if (!options.motion.empty()) inverse.motion = read_motion(options.motion);
  inverse.actuate = options.actuate;
  inverse.weights = read_weights(options.weights);
  inverse.largest_residual = options.largest_residual;
  const Interruption interruption;
  inverse.interrupted = Interruption::noted;
  NoSink nothing;
  std::unique_ptr<Sink> file;
  if (!options.output.empty()) file = open_file_sink(options.output, options.columns);
  const InverseSummary summary = inverse_dynamics(model, options.method, file ? *file : nothing, inverse);
  file.reset();
  if (options.model.json) {
    print_json(*model, summary);
  } else {
    print_text(*model, summary, options);
  }
  if (summary.ok()) return success;
  if (!options.model.json) fmt::print(stderr, "{}\n", summary.failure);
  return summary.interrupted ? Interruption::exit_code() : failed_analysis;
}

}  // namespace

void add_inverse(CLI::App& app, Action& action) {
  auto options = std::make_shared<InverseCommand>();
  CLI::App* command = app.add_subcommand("inverse", "Efforts of actuators that a given motion needs");
  options->model.add_to(*command);
  command
      ->add_option(
          "--motion", options->motion,
          "Table with columns time and joint coordinates (A.angle, A.rate) or places of bodies, as run writes them")
      ->type_name("FILE.csv");
  command->add_flag("--from-run", options->from_run,
                    "Take the model's own simulated motion (default without --motion)");
  command
      ->add_option("--actuate", options->actuate,
                   "Joints, or their coordinates, on which efforts act (default: those with motions or actuators)")
      ->delimiter(',')
      ->type_name("LIST");
  command
      ->add_option("--weights", options->weights,
                   "More actuators than degrees of freedom: factors of efforts in the norm that is made least, A=2,B=1")
      ->delimiter(',')
      ->type_name("LIST");
  command
      ->add_option("--residual", options->largest_residual,
                   "Fewer actuators than degrees of freedom: what may be missing, relative to the load (default 1e-3)")
      ->check(within(numbers_from_zero))
      ->type_name("X");
  command->add_option("-o,--output", options->output, "Write the results to FILE.csv, FILE.json or FILE.h5")
      ->type_name("FILE");
  command->add_option("--columns", options->columns, "Columns to write: names, or joint.* for all of a joint")
      ->delimiter(',')
      ->type_name("LIST");
  add_method_option(*command, "duration", options->method.duration, "Length in s (default: all of the motion)");
  add_method_option(*command, "output_step", options->method.output_step,
                    "Time between rows in s (default: the times of the motion)");
  add_limits(*command, options->method.time_limit, options->method.memory_limit);
  command->footer(
      "The motion is made smooth by quintic splines, moved onto the constraints, and differentiated. Motions and\n"
      "actuators of the model on actuated coordinates are replaced by the unknown efforts.\n\n"
      "Examples:\n"
      "  bricard inverse models/planar-2r-robot.yaml                            torques of the model's own motion\n"
      "  bricard inverse models/planar-2r-robot.yaml --motion arm.csv --output out/torques.csv\n"
      "  bricard inverse models/driven-four-bar.yaml --actuate A,D              two motors for one degree of freedom");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace bricard

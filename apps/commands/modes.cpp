// `bricard modes`: natural frequencies, damping and stability of small motions.
#include "analyses/linear/modes.h"

#include <fmt/format.h>

#include <cmath>

#include "bricard/gear_train.h"
#include "bricard/load.h"
#include "commands/command.h"
#include "io/report/modes_report.h"
#include "io/results/modes_json.h"
#include "model/printable.h"

namespace bricard {
namespace {

struct Options {
  ModelOptions model;
  ModesOptions modes;
  std::string at = "start", output;
  std::string report;
};

/// The body that a mode moves most, and how.
std::string mostly(const Model& model, const Mode& mode, double length) {
  std::string text;
  double greatest = 0;
  const auto consider = [&](Complex value, const std::string& what) {
    if (std::abs(value) <= (1 + 1e-9) * greatest) return;
    greatest = std::abs(value);
    text = what;
  };
  for (std::size_t b = 0; b < mode.shape.size(); ++b) {
    for (int k = 0; k < 3; ++k) {
      const std::string axis(1, "xyz"[k]);
      consider(mode.shape[b].rotation[k], model.bodies[b].name + (model.planar() ? " turns" : " turns about " + axis));
      consider(mode.shape[b].translation[k] / length, model.bodies[b].name + " moves along " + axis);
    }
  }
  return text;
}

/// What is below `rounding` is printed as zero.
void print_matrix(const char* name, const Matrix& matrix, double rounding) {
  for (int i = 0; i < matrix.rows(); ++i) {
    fmt::print("  {:<3}", i == 0 ? name : "");
    for (int j = 0; j < matrix.cols(); ++j)
      fmt::print(" {:>16.9g}", std::abs(matrix(i, j)) > rounding ? matrix(i, j) : 0.0);
    fmt::print("\n");
  }
}

void print_text(const Model& model, const Modes& modes, const Options& options) {
  const Linearization& linear = modes.linear;
  const auto line = [](const char* label, const std::string& text) {
    fmt::print("  {:<13}{}\n", label, wrapped(text, 15));
  };
  fmt::print("{}\n", title(model));
  line("state",
       fmt::format("{}, {}", options.modes.at == ModesOptions::At::equilibrium ? "static equilibrium" : "as it starts",
                   linear.steady ? (modes.v.isZero(1e-12) ? "at rest" : "moving steadily") : "not steady"));
  line("freedom", fmt::format("{} displacements, {} speeds{}", linear.displacements, linear.speeds,
                              linear.states > 0 ? fmt::format(", {} states of friction", linear.states) : ""));
  line("stability", modes.verdict);
  for (const std::string& message : modes.messages) line("note", message);
  if (modes.stability == MotionStability::unknown && options.modes.at == ModesOptions::At::start)
    line("note", "--at equilibrium goes to an equilibrium first");
  if (!modes.modes.empty()) {
    fmt::print("\n  {:>4}  {:>14}  {:>14}  {:>12}  {:>10}  {:>12}  {}\n", "mode", "Re 1/s", "Im 1/s", "frequency Hz",
               "damping", "time s", "mostly");
  }
  int number = 0;
  for (const Mode& mode : modes.modes) {
    const bool oscillates = mode.frequency > 0, lasts = std::isinf(mode.time_constant);
    fmt::print("  {:>4}  {:>14.9g}  {:>14}  {:>12}  {:>10}  {:>12}  {}\n", ++number, mode.eigenvalue.real(),
               oscillates ? fmt::format("{:.9g}", mode.eigenvalue.imag()) : "-",
               oscillates ? fmt::format("{:.7g}", mode.frequency) : "-",
               oscillates ? fmt::format("{:.4g}", mode.damping_ratio) : "-",
               lasts ? "-" : fmt::format("{:.6g}", mode.time_constant), mostly(model, mode, modes.length));
  }
  if (modes.zero_eigenvalues > 0)
    fmt::print("  {:>4}  {:>14}  {} of them\n", modes.modes.empty() ? "" : "and", 0, modes.zero_eigenvalues);
  if (!modes.speed_eigenvalues.empty()) {
    fmt::print("\n  speeds alone (no coordinate is restored): eigenvalues of M y' + C y = 0, 1/s\n");
    for (Complex eigenvalue : modes.speed_eigenvalues) {
      fmt::print("    {:.12g}{}\n", eigenvalue.real(),
                 eigenvalue.imag() != 0 ? fmt::format(" {:+.12g}i", eigenvalue.imag()) : "");
    }
  }
  if (linear.speeds > 0 && linear.speeds <= 6 && linear.displacements <= 6) {
    fmt::print("\n  M y' + C y + K z = 0{}\n", linear.names.empty()
                                                   ? ", z an orthonormal choice (--independent names others)"
                                                   : fmt::format(", z = ({})", fmt::join(linear.names, ", ")));
    const double mass = linear.M.cwiseAbs().maxCoeff();
    const double rounding = mass * (1e-14 + 10 * linear.derivative_error * linear.A.cwiseAbs().maxCoeff());
    print_matrix("M", linear.M, 1e-14 * mass);
    print_matrix("C", linear.C, rounding);
    print_matrix("K", linear.K, rounding);
  }
  if (!options.output.empty()) fmt::print("\n  written to {}\n", printable(options.output));
}

int run_modes(const Options& options) {
  if (!options.output.empty() && !options.output.ends_with(".json"))
    throw InputError("--output " + options.output + ": modes are written to FILE.json");
  check_files({{"--output", options.output}, {"--report", options.report}}, {{"MODEL", options.model.file}});
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  const std::unique_ptr<OutputFile> file = open_output(options.output), report = open_output(options.report);
  const Modes modes = find_modes(model, options.modes);
  if (file) write_file(*file, modes_json(*model, modes) + "\n");
  if (report) write_report(*report, modes_report(model, modes, "bricard modes " + options.model.file));
  if (options.model.json) {
    fmt::print("{}\n", modes_json(*model, modes));
  } else if (modes.ok) {
    print_text(*model, modes, options);
    const std::string train = options.modes.at == ModesOptions::At::start ? gear_train_text(model) : "";
    if (!train.empty()) fmt::print("\n{}", train);
  } else {
    fmt::print(stderr, "{}\n", modes.failure);
  }
  return modes.ok ? success : failed_analysis;
}

}  // namespace

void add_modes(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("modes", "Natural frequencies, damping and stability of small motions about a state");
  options->model.add_to(*command);
  command
      ->add_option("--at", options->at,
                   "start: the state in which the model starts (default); equilibrium: the static equilibrium near it")
      ->check(CLI::IsMember({"start", "equilibrium"}).description(""))
      ->type_name("STATE");
  command
      ->add_option("--independent", options->modes.independent,
                   "Coordinates in which to write M, C and K: joints (A, U.angle2), angles of planar bodies (b.angle)")
      ->delimiter(',')
      ->type_name("LIST");
  command->add_option("--report", options->report, "Write the moving modes to FILE.html")->type_name("FILE");
  command->add_option("-o,--output", options->output, "Write modes, shapes and matrices to FILE.json")
      ->type_name("FILE");
  add_limits(*command, options->modes.time_limit, options->modes.memory_limit);
  command->footer(
      "Linearises the equations of motion about a state, rest or steady motion such as rolling or precession, and\n"
      "finds the eigenvalues. Redundant, driven and non-holonomic constraints are taken as they are.\n\n"
      "Examples:\n"
      "  bricard modes models/whipple-bicycle.yaml --set v=7\n"
      "  bricard modes models/double-pendulum.yaml --at equilibrium --independent A,B\n"
      "  bricard modes models/spring-platform.yaml --output out/platform.json");
  command->callback([options, &action] {
    if (options->at == "equilibrium") options->modes.at = ModesOptions::At::equilibrium;
    action = [options] { return run_modes(*options); };
  });
}

}  // namespace bricard

// `bricard run`: simulates a model.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "analyses/simulate.h"
#include "commands/command.h"
#include "io/file_sink.h"
#include "io/json_writer.h"
#include "io/load.h"

namespace bricard {
namespace {

struct RunOptions {
  ModelOptions model;
  Method method;
  std::string output;
  std::vector<std::string> columns;
};

/// A bar on a terminal, once a run takes more than a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted) : shown_(wanted && isatty(STDERR_FILENO)) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void operator()(double fraction) {
    const auto now = std::chrono::steady_clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    if (!shown_ || elapsed < 1 || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    drawn_ = true;
    const int filled = static_cast<int>(40 * fraction);
    fmt::print(stderr, "\r[{:<40}] {:3.0f} %  {:.0f} s left ", std::string(filled, '#'), 100 * fraction,
               fraction > 0 ? elapsed * (1 - fraction) / fraction : 0.0);
    std::fflush(stderr);
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r{:72}\r", "");
    drawn_ = false;
  }

 private:
  bool shown_, drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
};

class NoSink : public Sink {
 public:
  void begin(const std::vector<std::string>&) override {}
  void row(const Vector&) override {}
};

std::string counted(int count, const std::string& word) {
  std::string plural = word.ends_with("y") ? word.substr(0, word.size() - 1) + "ies" : word + "s";
  if (word == "degree of freedom") plural = "degrees of freedom";
  return fmt::format("{} {}", count, count == 1 ? word : plural);
}

void print_text(const Model& model, const Summary& s, const RunOptions& options) {
  const Structure& structure = s.structure;
  const Method& m = s.chosen.method;
  const auto line = [](const char* label, const std::string& text) {
    fmt::print("  {:<13}{}\n", label, wrapped(text, 15));
  };
  fmt::print("{}\n", model.name.empty() ? options.model.file : model.name);
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
       fmt::format("{}, {}, {}, {}, {}", m.coordinates, m.formulation,
                   m.stabilization == "none" ? "no stabilisation" : m.stabilization, m.integrator,
                   m.step > 0 ? fmt::format("step {:g}", m.step) : fmt::format("tolerance {:g}", m.tolerance)));
  line("why", s.chosen.reason);
  line("run", fmt::format("{:g} s in {} steps ({} rejected), {} evaluations, {:.3f} s of CPU", s.time, s.steps,
                          s.rejected, s.evaluations, s.cpu_seconds));
  line("constraints", fmt::format("drift at most {:.2e} (positions), {:.2e} (velocities)", s.constraint_position_max,
                                  s.constraint_velocity_max));
  line("energy", fmt::format("drift at most {:.2e} J of {:.4g} J exchanged", s.energy_drift, s.energy_scale));
  if (!options.output.empty())
    line("output", fmt::format("{} ({} rows, {} columns)", options.output, s.outputs, s.columns.size()));
  for (const std::string& message : s.messages) line("note", message);
}

void print_json(const Model& model, const Summary& s) {
  const Method& m = s.chosen.method;
  JsonWriter json;
  json.begin_object();
  json.member("status", s.ok() ? "ok" : "failed").member("model", model.name);
  json.member("coordinates", m.coordinates)
      .member("formulation", m.formulation)
      .member("stabilization", m.stabilization);
  json.member("pseudoinverse", m.pseudoinverse).member("selection", m.selection).member("reactions", m.reactions);
  json.member("threshold", m.threshold).member("reuse", m.reuse).member("step", m.step);
  json.member("integrator", m.integrator).member("tolerance", m.tolerance).member("reason", s.chosen.reason);
  json.member("duration", m.duration).member("time", s.time).member("steps", s.steps).member("rejected", s.rejected);
  json.member("evaluations", s.evaluations).member("cpu_seconds", s.cpu_seconds);
  json.member("degrees_of_freedom", s.structure.degrees_of_freedom)
      .member("constraints", s.structure.constraints)
      .member("rank", s.structure.rank);
  json.member("constraint_position_max", s.constraint_position_max)
      .member("constraint_velocity_max", s.constraint_velocity_max);
  json.member("energy_drift", s.energy_drift).member("energy_scale", s.energy_scale);
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

int run(const RunOptions& options) {
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  NoSink nothing;
  std::unique_ptr<Sink> file;
  if (!options.output.empty()) file = open_file_sink(options.output, options.columns);
  ProgressBar bar(!options.model.json);
  const Summary summary = simulate(model, options.method, file ? *file : nothing, {.progress = std::ref(bar)});
  bar.clear();
  file.reset();  // closes the file before the summary speaks of it

  if (options.model.json) {
    print_json(*model, summary);
  } else {
    print_text(*model, summary, options);
  }
  if (summary.ok()) return success;
  if (!options.model.json) {
    fmt::print(stderr, "{}{}\n", summary.failure,
               options.output.empty()
                   ? ""
                   : fmt::format(" The {} rows up to there are in {}.", summary.outputs, options.output));
  }
  return failed_analysis;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Simulate a model");
  Method& m = options->method;
  options->model.add_to(*command);
  command->add_option("-o,--output", options->output, "Write the results to FILE.csv or FILE.json")->type_name("FILE");
  command->add_option("--columns", options->columns, "Columns to write: names, or body.* for all of a body")
      ->delimiter(',')
      ->type_name("LIST");
  command->add_option("--duration", m.duration, "Length of the run in s (default: the model's, or 10)")->type_name("S");
  command->add_option("--output-step", m.output_step, "Time between rows in s (default: the model's, or 0.01)")
      ->type_name("S");
  command
      ->add_option("--tolerance", m.tolerance, "Error per step, relative and absolute (default: the model's, or 1e-6)")
      ->type_name("T");
  command->add_option("--step", m.step, "Step of fixed-step integrators; longest step of the others")->type_name("H");
  const char* const choice = "bricard methods lists them; auto chooses by the model";
  command->add_option("--coordinates", m.coordinates, std::string("Coordinate set; ") + choice)->type_name("NAME");
  command->add_option("--formulation", m.formulation, std::string("Formulation; ") + choice)->type_name("NAME");
  command->add_option("--pseudoinverse", m.pseudoinverse, "Pseudoinverse of the formulations that use one")
      ->type_name("NAME");
  command->add_option("--stabilization", m.stabilization, "Stabilisation of the constraints")->type_name("NAME");
  command->add_option("--integrator", m.integrator, "Integrator")->type_name("NAME");
  command->add_option("--selection", m.selection, "Selection of independent coordinates (default gauss)")
      ->type_name("NAME");
  command
      ->add_option("--reactions", m.reactions,
                   "How joint reactions are found (default: multipliers, blajer-38 if constraints are redundant)")
      ->type_name("NAME");
  command->add_option("--alpha", m.alpha, "Baumgarte's gain of velocities (default 10)")->type_name("A");
  command->add_option("--beta", m.beta, "Baumgarte's gain of positions (default 10)")->type_name("B");
  command
      ->add_option(
          "--threshold", m.threshold,
          "Relative rank threshold (default 1e-9; at least 1e-7 for nullspace-eigen, nullspace-schur, least-squares-1)")
      ->type_name("X");
  command
      ->add_option("--penalty", m.penalty,
                   "Penalty factor of penalty, augmented-lagrangian, canonical-augmented, alf3 (default 1e7)")
      ->type_name("A");
  command
      ->add_option("--penalty-kind", m.penalty_kind,
                   "relative to the largest term of the mass matrix (default), or absolute")
      ->type_name("KIND");
  command->add_option("--omega", m.omega, "Penalty methods: frequency at which errors decay, 1/s (default 10)")
      ->type_name("W");
  command->add_option("--mu", m.mu, "Penalty methods: damping ratio of that decay (default 1)")->type_name("X");
  command->add_option("--iterations", m.iterations, "Augmented Lagrangian: at most N iterations (default 20)")
      ->type_name("N");
  command
      ->add_option("--iteration-tolerance", m.iteration_tolerance,
                   "Augmented Lagrangian: stop iterating below this relative change (default 1e-12)")
      ->type_name("T");
  command
      ->add_option("--spectral-radius", m.spectral_radius,
                   "hht, alf3: damping of high frequencies, 1 none, 0 most (default 0.8, alf3 1)")
      ->type_name("R");
  command->add_option("--seed", m.seed, "Which way out of a singular reference the assembly tries (default 1)")
      ->type_name("N");
  command
      ->add_option("--reuse", m.reuse,
                   "Null-space methods: keep a null space while |P V| <= X |P| |V| (default 0: never)")
      ->type_name("X");
  command->footer(
      "Assembles the model, chooses what is left to `auto`, refuses what does not fit, integrates, and prints what\n"
      "it did, why, and how well the constraints and the energy were kept. A run that fails keeps its rows.\n\n"
      "Examples:\n"
      "  bricard run models/pendulum.yaml\n"
      "  bricard run models/five-bar.yaml --output out/five-bar.csv --columns 'link1.*,energy.total'\n"
      "  bricard run models/mcpherson.yaml --formulation lagrange --stabilization baumgarte --tolerance 1e-8\n"
      "  bricard run models/double-pendulum.yaml --set theta0='-45 deg' --integrator rk4 --step 0.001 --json");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace bricard

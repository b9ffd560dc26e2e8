// `bricard equations`: the equations of motion at an instant, and what a formulation makes of them.
#include "bricard/equations.h"

#include <fmt/format.h>

#include <filesystem>

#include "bricard/load.h"
#include "commands/command.h"
#include "io/report/equations_report.h"
#include "io/results/equations_text.h"

namespace bricard {
namespace {

struct EquationsArguments {
  ModelOptions model;
  Method method;
  EquationsOptions equations;
  int widest = 12;
  std::string output, latex, folder, report;
};

void write_matrix_market(const std::string& folder, const EquationsResult& equations) {
  for (const auto* list : {&equations.system, &equations.formulated, &equations.solution}) {
    for (const NamedMatrix& matrix : *list) {
      OutputFile file((std::filesystem::path(folder) / matrix_market_name(matrix)).string());
      write_file(file, matrix_market(matrix));
    }
  }
}

int run_equations(const EquationsArguments& options) {
  if (!options.output.empty() && !options.output.ends_with(".json"))
    throw InputError("--output " + options.output + ": equations are written to FILE.json");
  check_files({{"--output", options.output}, {"--latex", options.latex}, {"--report", options.report}},
              {{"MODEL", options.model.file}});
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  const std::unique_ptr<OutputFile> file = open_output(options.output), latex = open_output(options.latex),
                                    report = open_output(options.report);
  const EquationsResult equations = show_equations(model, options.method, options.equations);
  if (file) write_file(*file, equations_json(*model, equations) + "\n");
  if (latex) write_file(*latex, equations_latex(equations));
  if (!options.folder.empty()) write_matrix_market(options.folder, equations);
  if (report) {
    write_report(*report, equations_report(
                              model, equations,
                              "bricard equations " + options.model.file + " --formulation " + equations.formulation));
  }
  if (options.model.json) {
    fmt::print("{}\n", equations_json(*model, equations));
  } else {
    fmt::print("{}\n{}", title(*model), equations_text(equations, options.widest));
  }
  if (!equations.ok) fmt::print(stderr, "{}\n", equations.failure);
  return equations.ok ? success : failed_analysis;
}

}  // namespace

void add_equations(CLI::App& app, Action& action) {
  auto options = std::make_shared<EquationsArguments>();
  CLI::App* command = app.add_subcommand(
      "equations", "The equations of motion at an instant, with names, and what a formulation makes of them");
  options->model.add_to(*command);
  command->add_option("--at", options->equations.at, "The instant, s; the model is simulated until then (default: 0)")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("T");
  add_method_options(*command, options->method);
  command->add_flag("--velocity-transformation", options->equations.velocity_transformation,
                    "Relative coordinates: show R1, what it does to the equations, and that P1 R1 = 0");
  command->add_option("--widest", options->widest, "Draw matrices with more columns as a pattern (default: 12)")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  command->add_option("-o,--output", options->output, "Write everything to FILE.json")->type_name("FILE");
  command->add_option("--latex", options->latex, "Write the equations to FILE.tex")->type_name("FILE");
  command->add_option("--matrix-market", options->folder, "Write each matrix to FOLDER/SYMBOL.mtx")
      ->type_name("FOLDER");
  command->add_option("--report", options->report, "Write each matrix beside its formula and source to FILE.html")
      ->type_name("FILE");
  command->footer(
      "M v' + P^T lambda = Q,  P v' = gamma: q, v, M, Q, Phi, P, Phi_t, gamma and the rank of P with its pivots; then\n"
      "the matrices of the formulation, by its own code, the solution and its residuals.\n\n"
      "Examples:\n"
      "  bricard equations models/pendulum.yaml --formulation nullspace-qr\n"
      "  bricard equations models/four-bar.yaml --at 0.5 --coordinates natural --formulation udwadia-kalaba\n"
      "  bricard equations models/five-bar.yaml --formulation independent --report out/equations.html");
  command->callback([options, &action] { action = [options] { return run_equations(*options); }; });
}

}  // namespace bricard

// `bricard compare`: one model by many methods.
#include <fmt/format.h>

#include "bricard/load.h"
#include "commands/command.h"
#include "commands/interruption.h"
#include "commands/progress_bar.h"
#include "io/report/compare_tables.h"
#include "io/results/csv_reader.h"

namespace bricard {
namespace {

struct CompareCommand {
  ModelOptions model;
  CompareOptions compare;
  std::string output, report, reference;
};

int run(CompareCommand& options) {
  if (!options.output.empty() && !options.output.ends_with(".csv") && !options.output.ends_with(".json"))
    throw InputError(fmt::format("cannot tell the format of '{}': its name must end in .csv or .json", options.output));
  check_files({{"--output", options.output}, {"--report", options.report}},
              {{"MODEL", options.model.file}, {"--reference", options.reference}});
  const auto model = load(options.model.file, {.parameters = options.model.parameters()});
  MemorySink reference;
  if (!options.reference.empty()) {
    const MotionTable table = read_motion(options.reference);
    reference.columns = table.columns;
    reference.rows = table.rows;
    options.compare.reference = &reference;
  }
  const Interruption interruption;
  const std::unique_ptr<OutputFile> file = open_output(options.output), report = open_output(options.report);
  options.compare.interrupted = Interruption::noted;
  ProgressBar bar(!options.model.json);
  options.compare.progress = std::ref(bar);
  const Comparison comparison = compare(model, options.compare);
  bar.clear();

  if (file)
    write_file(*file, options.output.ends_with(".csv") ? comparison_csv(comparison) : comparison_json(comparison));
  if (report) write_report(*report, comparison_report(model, comparison, "bricard compare " + options.model.file));
  if (options.model.json) {
    fmt::print("{}\n", comparison_json(comparison));
  } else {
    fmt::print("{}\n{}", title(*model), comparison_text(comparison));
    for (const std::string& sentence : comparison.verdict()) fmt::print("  {}\n", wrapped(sentence, 4));
  }
  if (comparison.interrupted) return Interruption::exit_code();
  return comparison.ranking().empty() ? failed_analysis : success;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareCommand>();
  CLI::App* command = app.add_subcommand("compare", "Simulate a model by many methods: cost, drift, error of each");
  options->model.add_to(*command);
  const auto list = [&](const char* name, auto& target, const char* text) {
    return command->add_option(name, target, text)->delimiter(',')->type_name("LIST");
  };
  CompareOptions& c = options->compare;
  list("--formulations", c.formulations, "Formulations (default: all); 'lagrange (bodies)' names the engine, too");
  list("--dynamics", c.dynamics,
       "Engines: whole, bodies, tree, auto (default: whole; all formulations also have rows for faster engines)");
  list("--stabilizations", c.stabilizations, "Stabilisations (default: none,baumgarte,projection)");
  list("--integrators", c.integrators, "Integrators (default: the model's, or as auto chooses)");
  list("--tolerances", c.tolerances, "Tolerances (default: the model's, or 1e-6)")->check(within(positive_numbers));
  list("--pseudoinverses", c.pseudoinverses, "Pseudoinverses, for formulations that use one (default: svd)");
  list("--coordinates", c.coordinates, "Coordinate sets (default: the model's, or as auto chooses)");
  add_method_options(*command, c.common, {"duration", "output_step", "alpha", "beta", "step", "rescue", "max_steps"});
  add_limits(*command, c.common.time_limit, c.common.memory_limit);
  command->add_option("--repeats", c.repeats, "Timing rounds, of which the fastest counts (default 3; 0: untimed)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("K");
  command->add_option("--threads", c.threads, "Runs at a time, except for timing (default: all cores)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  command
      ->add_option("--reference", options->reference,
                   "Rows to compare with, FILE.csv of a run (default: a run at a hundredth of the tightest tolerance)")
      ->type_name("FILE");
  command->add_option("-o,--output", options->output, "Write the table to FILE.csv or FILE.json")->type_name("FILE");
  command->add_option("--report", options->report, "Write a report with plots to FILE.html")->type_name("FILE");
  command->footer(
      "Runs every combination of the lists, on all cores; then times those that completed one at a time, in rounds.\n"
      "The error is the largest difference of the bodies' places from the reference, in lengths of the model or rad.\n"
      "Combinations that do not fit are listed with the reason. Every formulation runs its own algebra on matrices of\n"
      "the whole system (--dynamics whole); `lagrange (bodies)` and `recursive (tree)` are the engines that `run` "
      "takes.\n\n"
      "Examples:\n"
      "  bricard compare models/mcpherson-overconstrained.yaml\n"
      "  bricard compare models/five-bar.yaml --formulations nullspace-svd,udwadia-kalaba --tolerances 1e-4,1e-6,1e-8 "
      "--report out/five-bar.html");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace bricard

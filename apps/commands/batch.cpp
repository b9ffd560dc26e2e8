// `bricard batch`: one model with many values of its parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "bricard/input_error.h"
#include "bricard/simulate_batch.h"
#include "commands/command.h"
#include "commands/interruption.h"
#include "commands/progress_bar.h"
#include "io/results/chosen_columns.h"
#include "io/results/json_writer.h"
#include "io/results/sweep.h"
#include "model/counted.h"

namespace bricard {
namespace {

struct BatchCommand {
  ModelOptions model;
  std::vector<std::string> sweeps, columns;
  Method method;
  BatchOptions batch;
  bool no_lanes = false;
  std::string output;
};

/// One line of the table: the values of the parameters, and the last row of the run.
struct BatchRow {
  std::vector<double> values;
  bool completed = false;
  std::string failure;
  std::vector<double> final = {};  // of the chosen columns; empty if the run did not start
  double cpu_seconds = 0;
  std::string dynamics = {};
  std::size_t rescues = 0;
  bool interrupted = false;
  const char* status() const {
    return completed ? "ok" : !interrupted ? "failed" : final.empty() ? "not run" : "interrupted";
  }
};

struct BatchTable {
  std::string model;
  std::vector<std::string> parameters, columns;
  std::vector<BatchRow> rows;
  double seconds = 0, cpu_seconds = 0;
  bool interrupted() const {
    return std::any_of(rows.begin(), rows.end(), [](const BatchRow& row) { return row.interrupted; });
  }
  const char* status() const { return interrupted() ? "interrupted" : failed() == 0 ? "ok" : "failed"; }
  long failed() const {
    return std::count_if(rows.begin(), rows.end(), [](const BatchRow& row) { return !row.completed; });
  }
};

BatchTable simulate_all(BatchCommand& options) {
  std::vector<Sweep> sweeps;
  for (const std::string& text : options.sweeps) sweeps.push_back(read_sweep(text));
  const std::vector<SweptModel> swept = load_sweep(options.model.file, options.model.parameters(), sweeps);
  std::vector<std::shared_ptr<const Model>> models;
  for (const SweptModel& one : swept) {
    if (one.model) models.push_back(one.model);
  }
  ProgressBar bar(!options.model.json);
  options.batch.progress = std::ref(bar);
  options.batch.lanes = !options.no_lanes;
  options.batch.last_rows_only = true;
  options.batch.interrupted = Interruption::noted;
  const auto started = std::chrono::steady_clock::now();
  const std::vector<SimulationResult> results = simulate_batch(models, options.method, options.batch);
  bar.clear();

  BatchTable table;
  table.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  table.model = title(*models.front());
  for (const Sweep& sweep : sweeps) table.parameters.push_back(sweep.name);
  std::vector<int> chosen;
  for (const SimulationResult& result : results) {
    if (result.summary.columns.empty() || !table.columns.empty()) continue;
    chosen = chosen_columns(options.columns, result.summary.columns);
    for (int k : chosen) table.columns.push_back(result.summary.columns[k]);
  }
  std::size_t next = 0;
  for (const SweptModel& one : swept) {
    BatchRow row{one.values, false, one.failure};
    if (one.model) {
      const Summary& s = results[next++].summary;
      row.completed = s.completed;
      row.failure = s.failure;
      row.interrupted = s.interrupted;
      row.cpu_seconds = s.cpu_seconds;
      row.dynamics = s.dynamics;
      row.rescues = s.rescues.size();
      table.cpu_seconds += s.cpu_seconds;
      for (int k : chosen) {
        if (s.final.size() > 0) row.final.push_back(s.final[k]);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string csv(const BatchTable& table) {
  std::string text;
  for (const std::string& name : table.parameters) text += name + ",";
  text += fmt::format("status,{}\n", fmt::join(table.columns, ","));
  for (const BatchRow& row : table.rows) {
    for (double value : row.values) text += std::isnan(value) ? "," : fmt::format("{},", value);
    text += row.status();
    for (std::size_t k = 0; k < table.columns.size(); ++k)
      text += row.final.empty() ? "," : fmt::format(",{}", row.final[k]);
    text += "\n";
  }
  return text;
}

std::string json(const BatchTable& table) {
  JsonWriter writer;
  writer.begin_object();
  writer.member("status", table.status()).member("model", table.model);
  writer.member("runs", static_cast<long>(table.rows.size())).member("failed", table.failed());
  writer.member("cpu_seconds", table.cpu_seconds).member("seconds", table.seconds);
  writer.key("results").begin_array();
  for (const BatchRow& row : table.rows) {
    writer.begin_object();
    writer.key("parameters").begin_object();
    for (std::size_t k = 0; k < table.parameters.size(); ++k) writer.member(table.parameters[k], row.values[k]);
    writer.end_object();
    writer.member("status", row.status());
    if (!row.dynamics.empty())
      writer.member("dynamics", row.dynamics).member("rescues", static_cast<long>(row.rescues));
    if (!row.failure.empty()) writer.member("failure", row.failure);
    writer.key("final").begin_object();
    for (std::size_t k = 0; k < row.final.size(); ++k) writer.member(table.columns[k], row.final[k]);
    writer.end_object().end_object();
  }
  writer.end_array().end_object();
  return writer.text();
}

std::string values_text(const BatchTable& table, const BatchRow& row) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < table.parameters.size(); ++k)
    parts.push_back(fmt::format("{} = {:.6g}", table.parameters[k], row.values[k]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void print_text(const BatchTable& table, const BatchCommand& options) {
  const auto line = [](const std::string& label, const std::string& text) {
    fmt::print("  {:<13}{}\n", label, wrapped(text, 15));
  };
  fmt::print("{}\n", table.model);
  line("runs", fmt::format("{}{} ({} failed), {:.3f} s of CPU in {:.3f} s, {:.0f} runs per second",
                           table.interrupted() ? "interrupted: " : "", table.rows.size(), table.failed(),
                           table.cpu_seconds, table.seconds, static_cast<double>(table.rows.size()) / table.seconds));
  // Engines, the most frequent first.
  std::map<std::string, int> engines;
  std::size_t rescues = 0;
  for (const BatchRow& row : table.rows) {
    if (!row.dynamics.empty()) ++engines[row.dynamics];
    rescues += row.rescues;
  }
  std::vector<std::pair<long, std::string>> counts;
  counts.reserve(engines.size());
  for (const auto& [engine, count] : engines) counts.emplace_back(-count, engine);
  std::sort(counts.begin(), counts.end());
  constexpr std::size_t most_engines = 3;
  for (std::size_t k = 0; k < std::min(counts.size(), most_engines); ++k)
    line(k == 0 ? "dynamics" : "",
         fmt::format("{} ({})", counts[k].second, counted(static_cast<std::size_t>(-counts[k].first), "run", "runs")));
  if (rescues > 0) line("rescues", fmt::format("{} in all runs; bricard run says when and what", rescues));
  if (!options.output.empty())
    line("output", fmt::format("{} ({} rows, {} columns)", options.output, table.rows.size(),
                               table.parameters.size() + 1 + table.columns.size()));
  // Where the values asked for are smallest and largest.
  for (std::size_t k = 1; !options.columns.empty() && k < table.columns.size(); ++k) {
    const BatchRow *least = nullptr, *most = nullptr;
    for (const BatchRow& row : table.rows) {
      if (!row.completed) continue;
      if (!least || row.final[k] < least->final[k]) least = &row;
      if (!most || row.final[k] > most->final[k]) most = &row;
    }
    if (!least) break;
    fmt::print("  {}: {:.9g} ({}) to {:.9g} ({})\n", table.columns[k], least->final[k], values_text(table, *least),
               most->final[k], values_text(table, *most));
  }
  constexpr int most_named = 3;
  int named = 0;
  for (const BatchRow& row : table.rows) {
    if (!row.completed && named++ < most_named)
      line("failed", fmt::format("{}: {}", values_text(table, row), row.failure));
  }
  if (named > most_named) line("", fmt::format("and {} more", named - most_named));
}

int run(BatchCommand& options) {
  check_files({{"--output", options.output}}, {{"MODEL", options.model.file}});
  const bool to_csv = options.output.ends_with(".csv"), to_json = options.output.ends_with(".json");
  if (!options.output.empty() && !to_csv && !to_json)
    throw InputError(fmt::format("cannot tell the format of '{}': its name must end in .csv or .json", options.output));
  const Interruption interruption;
  const std::unique_ptr<OutputFile> file = open_output(options.output);
  const BatchTable table = simulate_all(options);
  if (file) write_file(*file, to_csv ? csv(table) : json(table) + "\n");
  if (options.model.json) {
    fmt::print("{}\n", json(table));
  } else {
    print_text(table, options);
  }
  if (table.interrupted()) return Interruption::exit_code();
  return table.failed() == 0 ? success : failed_analysis;
}

}  // namespace

void add_batch(CLI::App& app, Action& action) {
  auto options = std::make_shared<BatchCommand>();
  CLI::App* command = app.add_subcommand("batch", "Simulate a model with many values of its parameters");
  options->model.add_to(*command);
  Method& m = options->method;
  command
      ->add_option("--sweep", options->sweeps,
                   "Values of a parameter, evenly spaced: --sweep L=0.5:1.5:11; several make a grid")
      ->type_name("NAME=FROM:TO:COUNT")
      ->allow_extra_args(false)
      ->required();
  command->add_option("-o,--output", options->output, "Write one row a run to FILE.csv or FILE.json")
      ->type_name("FILE");
  command
      ->add_option("--columns", options->columns,
                   "Columns whose values at the end are kept: names, or body.* for all of a body (default: all)")
      ->delimiter(',')
      ->type_name("LIST");
  command->add_option("--threads", options->batch.threads, "Threads (default: all cores)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("N");
  command->add_flag("--no-lanes", options->no_lanes, "Every run by itself, with steps of its own");
  add_method_options(*command, m,
                     {"duration", "tolerance", "step", "coordinates", "formulation", "stabilization", "integrator",
                      "dynamics", "rescue", "max_steps"});
  add_limits(*command, m.time_limit, m.memory_limit);
  command->footer(
      "Runs every point of the grid, on all cores, and where the model allows it four runs at a time in the lanes of\n"
      "vector registers. A run that fails is a row with its values so far; exit code 1 says that there is one.\n\n"
      "Examples:\n"
      "  bricard batch models/four-bar.yaml --sweep l2=1.6:2:41 --columns alpha --output out/lengths.csv\n"
      "  bricard batch models/double-pendulum.yaml --sweep theta1='-90 deg:90 deg:19' --sweep m=0.5:2:4 --threads 2");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace bricard

// `bricard reproduce`: published tables and figures, computed anew.
#include <fmt/format.h>

#include "bricard/input_error.h"
#include "commands/command.h"
#include "commands/interruption.h"
#include "commands/progress_bar.h"
#include "model/nearest_name.h"
#include "papers/output.h"

namespace bricard {
namespace {

struct ReproduceCommand {
  std::string paper, item, output, report;
  bool json = false;
  ReproduceOptions options;
};

/// Leaves an item that is being computed.
struct Interrupted {};

void list_papers() {
  fmt::print("Papers and their items (bricard reproduce PAPER [ITEM], or all):\n");
  for (const Paper& paper : papers()) {
    fmt::print("  {}\n    {}\n", paper.name, wrapped(paper.citation, 4));
    for (const PaperItem& item : paper.items) fmt::print("      {:<14}{}\n", item.name, wrapped(item.title, 20));
  }
}

std::vector<std::pair<const Paper*, const PaperItem*>> chosen_items(const ReproduceCommand& command) {
  std::vector<std::pair<const Paper*, const PaperItem*>> chosen;
  std::vector<std::string> names = {"all"};
  for (const Paper& paper : papers()) names.emplace_back(paper.name);
  for (const Paper& paper : papers()) {
    if (command.paper != "all" && command.paper != paper.name) continue;
    for (const PaperItem& item : paper.items) {
      if (command.item.empty() || command.item == item.name) chosen.emplace_back(&paper, &item);
    }
  }
  if (!chosen.empty()) return chosen;
  if (command.paper == "all") throw InputError(fmt::format("no paper has an item '{}'", command.item));
  const Paper* paper = find_paper(command.paper);
  if (!paper) throw InputError(fmt::format("no paper '{}'{}", command.paper, suggestion(command.paper, names)));
  std::vector<std::string> items;
  for (const PaperItem& item : paper->items) items.emplace_back(item.name);
  throw InputError(fmt::format("{} has no item '{}'{}", paper->name, command.item, suggestion(command.item, items)));
}

int run(ReproduceCommand& command) {
  if (command.paper.empty()) {
    list_papers();
    return success;
  }
  check_files({{"--output", command.output}, {"--report", command.report}}, {});
  const auto chosen = chosen_items(command);
  const Interruption interruption;
  const std::unique_ptr<OutputFile> file = open_output(command.output), report = open_output(command.report);
  ProgressBar bar(!command.json);
  std::vector<Reproduction> results;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const auto& [paper, item] = chosen[k];
    const auto total = static_cast<double>(chosen.size());
    command.options.progress = [&, name = fmt::format("{} {}", paper->name, item->name)](double fraction,
                                                                                         const std::string&) {
      bar((static_cast<double>(k) + fraction) / total, name);
      if (Interruption::noted()) throw Interrupted();
    };
    try {
      command.options.progress(0, "");
      results.push_back(item->reproduce(command.options));
    } catch (const Interrupted&) {
      break;
    }
    results.back().paper = paper->name, results.back().item = item->name;
    if (results.back().title.empty()) results.back().title = item->title;
    if (command.json) continue;
    bar.clear();
    fmt::print("{}{}", k == 0 ? "" : "\n", reproduction_text(results.back()));
    std::fflush(stdout);
  }
  const bool interrupted = results.size() < chosen.size();
  if (file && !results.empty()) write_file(*file, reproductions_json(results) + "\n");
  if (report && !results.empty())
    write_report(*report,
                 reproductions_report(results, fmt::format("bricard reproduce {} {}", command.paper, command.item)));
  if (command.json) fmt::print("{}\n", reproductions_json(results));
  if (!interrupted) return success;
  bar.clear();
  fmt::print(stderr, "Interrupted: {} of {} items were computed.\n", results.size(), chosen.size());
  return Interruption::exit_code();
}

}  // namespace

void add_reproduce(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReproduceCommand>();
  CLI::App* command = app.add_subcommand("reproduce", "Compute published tables anew, beside the printed numbers");
  command->add_option("paper", options->paper, "Paper, or all; without it, the papers are listed")->type_name("PAPER");
  command->add_option("item", options->item, "Table or figure (default: all of the paper)")->type_name("ITEM");
  command->add_flag("--fast", options->options.fast, "A subset that takes seconds");
  command->add_flag("--paper-settings", options->options.paper_settings,
                    "Settings of the paper where ours do better by default");
  command->add_option("--repeats", options->options.repeats, "Timing rounds, of which the fastest counts (default 3)")
      ->check(within(whole_numbers(1, 1e6)))
      ->type_name("K");
  command
      ->add_option("--dynamics", options->options.dynamics,
                   "What computes accelerations of the papers' formulations: whole (default), bodies, tree or auto")
      ->type_name("ENGINE");
  command->add_option("-o,--output", options->output, "Write everything to FILE.json")->type_name("FILE");
  command->add_option("--report", options->report, "Write a report with plots to FILE.html")->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON instead of text");
  command->footer(
      "Our numbers stand beside the published ones; the papers' conclusions are judged by our measurements, and\n"
      "what differs is explained.\n\n"
      "Examples:\n"
      "  bricard reproduce\n"
      "  bricard reproduce jalon-bayo table-5.1\n"
      "  bricard reproduce all --report out/papers.html");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace bricard

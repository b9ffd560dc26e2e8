// Tables 2 to 7 and Figure 2 of de Falco, Pennestri and Vita: five pseudoinverses in the Udwadia-Kalaba formulation
// (29), (30) on the overconstrained five-bar, 20 s, Adams-Moulton, TOL = 1e-10, 1e-8, 1e-6, without stabilisation and
// with Baumgarte's (alpha = 1000, beta = 100). What else the paper says of pseudoinverses: defalco_matrices.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "papers/defalco_matrices.h"
#include "papers/five_bar_runs.h"
#include "papers/reproduction.h"

namespace bricard::paper_list {
namespace {

using reproduce::FiveBarCase;
using reproduce::FiveBarRun;

enum class Outcome { fails, correct_up_to, correct };

struct PublishedRow {
  Outcome outcome;
  double until;             // s; 20 where correct
  const char* violation;    // as printed
  long evaluations, steps;  // 0: not given
  const char* cpu;
  bool doubtful = false;  // holds numbers of another table's row
};

struct PublishedTable {
  int number;
  double tolerance;
  bool baumgarte;
  std::array<PublishedRow, 5> rows;
};

constexpr std::array<const char*, 5> printed_names = {"SVD", "Varga", "Greville", "LS-Householder", "LS-Modified GS"};
constexpr std::array<const char*, 5> inverse_names = {"svd", "varga", "greville", "householder", "gram-schmidt"},
                                     names_as_printed = {"svd", "varga-unpivoted", "greville-plain", "householder",
                                                         "gram-schmidt"};
enum { svd, varga, greville, householder, gram_schmidt };

constexpr Outcome fails = Outcome::fails, up_to = Outcome::correct_up_to, correct = Outcome::correct;
constexpr double printed_duration = 20;
/// Times of failure and loss depend on the start, which is not printed: they are the same if they differ by less.
constexpr double same_time = 2;

const std::array<PublishedTable, 6> tables = {{
    {2,
     1e-10,
     false,
     {{{fails, 9.1, "3.7e-07", 0, 0, ""},
       {fails, 8.0, "9.9e-02", 0, 0, ""},
       {up_to, 17.5, "4.5e-05", 2'961'955, 2'633'811, "0.93"},
       {up_to, 16.5, "2.3e-04", 6'131'159, 4'177'395, "11.57"},
       {up_to, 17.0, "1.1e-04", 3'749'766, 3'015'354, "36.85"}}}},
    {3,
     1e-8,
     false,
     {{{fails, 12.07, "3.4e-06", 0, 0, ""},
       {fails, 8.06, "9.9e-02", 0, 0, ""},
       {up_to, 17.5, "1.86e-04", 1'648'055, 1'422'689, "0.53"},
       {up_to, 18.0, "7.9e-04", 1'641'751, 1'422'297, "1.28"},
       {up_to, 18.0, "5.2e-04", 1'644'341, 1'424'864, "6.03"}}}},
    {4,
     1e-6,
     false,
     {{{up_to, 17.5, "4.1e-04", 1'033'381, 847'294, "0.28"},
       {fails, 7.3, "9.9e-02", 0, 0, ""},
       {up_to, 19.0, "9.7e-04", 1'017'558, 1'422'689, "0.37", true},
       {correct, 20, "7.9e-04", 1'641'751, 1'422'297, "0.76", true},
       {correct, 20, "6.9e-04", 1'013'795, 839'020, "3.40"}}}},
    {5,
     1e-10,
     true,
     {{{fails, 1.17, "", 0, 0, ""},
       {correct, 20, "4.5e-05", 78'491'398, 47'074'599, "11.4"},
       {correct, 20, "2.1e-07", 74'043'990, 44'053'874, "18.3"},
       {correct, 20, "3.3e-07", 73'707'588, 43'948'609, "51.5"},
       {correct, 20, "4.1e-07", 73'910'268, 44'515'071, "241.0"}}}},
    {6,
     1e-8,
     true,
     {{{fails, 0.17, "", 0, 0, ""},
       {fails, 14.97, "", 0, 0, ""},
       {correct, 20, "4.90e-07", 80'109'155, 55'569'995, "19.4"},
       {correct, 20, "3.5e-07", 80'197'458, 54'468'468, "55.0"},
       {correct, 20, "4.9e-07", 80'112'706, 54'604'452, "290"}}}},
    {7,
     1e-6,
     true,
     {{{fails, 0.46, "", 0, 0, ""},
       {fails, 9.7, "", 0, 0, ""},
       {correct, 20, "1.9e-06", 80'483'163, 57'743'095, "19.5"},
       {correct, 20, "1.14e-06", 80'689'071, 58'099'798, "55"},
       {correct, 20, "1.06e-06", 80'636'983, 58'010'479, "291"}}}},
}};

std::string result_text(Outcome outcome, double until) {
  if (outcome == correct) return "correct";
  return fmt::format("{} {:.4g} s", outcome == fails ? "fails after" : "correct up to", until);
}

Outcome outcome_of(const FiveBarRun& run) { return !run.completed ? fails : run.correct() ? correct : up_to; }
std::string result_text(const FiveBarRun& run) {
  std::string text = result_text(outcome_of(run), run.correct_until);
  if (!run.completed) text += fmt::format(", stops at {:.4g} s", run.stopped);
  return text;
}

double duration_of(bool baumgarte, const ReproduceOptions& options) {
  return !options.fast ? printed_duration : baumgarte ? 0.2 : 2;
}

std::vector<FiveBarCase> cases_of(double tolerance, bool baumgarte, const ReproduceOptions& options) {
  std::vector<FiveBarCase> cases;
  for (const char* name : options.paper_settings ? names_as_printed : inverse_names)
    cases.push_back(
        {name, tolerance, baumgarte, duration_of(baumgarte, options), options.paper_settings, options.dynamics});
  return cases;
}

/// At most 400 points of a run.
ReproducedPlot::Curve violation_curve(const FiveBarRun& run, const std::string& name) {
  ReproducedPlot::Curve curve{.name = name, .x = {}, .y = {}};
  const std::size_t stride = run.times.size() / 400 + 1;
  for (std::size_t k = 0; k < run.times.size(); k += stride) {
    curve.x.push_back(run.times[k]);
    curve.y.push_back(std::max(run.violations[k], 1e-34));  // for a logarithmic axis
  }
  return curve;
}

std::string list(const std::function<bool(int)>& belongs) {
  std::vector<std::string> members;
  for (int k = 0; k < 5; ++k) {
    if (belongs(k)) members.emplace_back(printed_names[k]);
  }
  return members.empty() ? "none" : fmt::format("{}", fmt::join(members, ", "));
}

std::string all_of(const std::vector<FiveBarRun>& runs, const std::function<std::string(const FiveBarRun&)>& value) {
  std::vector<std::string> texts;
  for (int k = 0; k < 5; ++k) texts.push_back(fmt::format("{} {}", printed_names[k], value(runs[k])));
  return fmt::format("{}", fmt::join(texts, ", "));
}

bool same_result(const PublishedRow& published, const FiveBarRun& run) {
  return published.outcome == outcome_of(run) &&
         (published.outcome == correct || std::abs(published.until - run.correct_until) <= same_time);
}

void judge_outcomes(const PublishedTable& published, const std::vector<FiveBarRun>& runs, Reproduction& result) {
  for (int k = 0; k < 5; ++k) {
    const PublishedRow& row = published.rows[k];
    const std::string says = fmt::format("{}: {}", printed_names[k], result_text(row.outcome, row.until));
    if (row.doubtful) {
      result.differences.push_back(fmt::format("Not judged: {}. The row has numbers of another table's.", says));
      continue;
    }
    result.claims.push_back(
        {.text = row.outcome == correct ? says : fmt::format("{}, within {} s", says, same_time),
         .confirmed = same_result(row, runs[k]),
         .measured = fmt::format("{} (correct for {:.4g} s)", result_text(runs[k]), runs[k].correct_until)});
  }
}

/// The conclusions of section 8.
void judge_gram_schmidt(const PublishedTable& published, const std::vector<FiveBarRun>& runs, Reproduction& result) {
  const std::array<int, 3> others = {svd, greville, householder};
  const FiveBarRun& gs = runs[gram_schmidt];
  double least = 1e300, earliest = 1e300, worst_violation = 0;
  bool all_complete = gs.completed;
  std::array<double, 3> steps = {};
  for (std::size_t j = 0; j < others.size(); ++j) {
    const FiveBarRun& run = runs[others[j]];
    least = std::min(least, run.microseconds_per_evaluation());
    earliest = std::min(earliest, run.correct_until);
    worst_violation = std::max(worst_violation, run.violation);
    steps[j] = static_cast<double>(run.steps);
    all_complete = all_complete && run.completed;
  }
  const std::string costs =
      all_of(runs, [](const FiveBarRun& run) { return fmt::format("{:.1f}", run.microseconds_per_evaluation()); }) +
      " us per evaluation";
  result.claims.push_back(
      {.text = "Gram-Schmidt is less expensive than SVD, Greville and Householder",
       .confirmed = gs.microseconds_per_evaluation() < least,
       .measured = fmt::format("{}; printed CPU times: Greville {}, Householder {}, Gram-Schmidt {} s", costs,
                               published.rows[greville].cpu, published.rows[householder].cpu,
                               published.rows[gram_schmidt].cpu)});
  std::sort(steps.begin(), steps.end());
  if (all_complete && steps[1] > 0) {
    const double ratio = static_cast<double>(gs.steps) / steps[1];
    result.claims.push_back(
        {.text =
             "Gram-Schmidt's loss of accuracy takes considerably more steps than SVD, Greville and Householder need",
         .confirmed = ratio > 1.2,
         .measured = fmt::format("{:.2f} times their median; ", ratio) +
                     all_of(runs, [](const FiveBarRun& run) { return fmt::format("{}", run.steps); }) + " steps"});
  } else {
    result.differences.emplace_back(
        "Not judged: whether Gram-Schmidt takes more steps than SVD, Greville and Householder. Runs end early, and not "
        "together.");
  }
  result.claims.push_back(
      {.text = "SVD, Greville and Householder are more reliable and accurate than Gram-Schmidt",
       .confirmed = gs.correct_until < earliest - 0.5 || gs.violation > 10 * worst_violation,
       .measured = fmt::format("Gram-Schmidt: correct for {:.2f} s, sum of squares {:.1e}; the three: at "
                               "least {:.2f} s, at most {:.1e}",
                               gs.correct_until, gs.violation, earliest, worst_violation)});
}

void judge_violations(const PublishedTable& published, const std::vector<FiveBarRun>& runs,
                      std::vector<Claim>& claims) {
  double theirs = 0, ours = 0;
  bool all_complete = true;
  for (int k = 0; k < 5; ++k) {
    if (published.rows[k].outcome != correct) continue;
    all_complete = all_complete && runs[k].completed;
    theirs = std::max(theirs, std::stod(published.rows[k].violation));
    ours = std::max(ours, runs[k].violation);
  }
  claims.push_back(
      {.text = fmt::format("Baumgarte's stabilisation keeps the sum of squares of the violations below {:.2g} "
                           "in the runs printed as correct",
                           theirs),
       .confirmed = all_complete && ours <= theirs,
       .measured = fmt::format("at most {:.1e}{}", ours, all_complete ? "" : ", but not all runs reach the end")});
}

std::vector<std::string> common_differences(bool baumgarte, const ReproduceOptions& options) {
  std::vector<std::string> texts = {
      "The paper does not say where the motion starts: here the links start at -30 degrees from the x axis, at rest, "
      "and "
      "never meet a singular position.",
      fmt::format(
          "'Correct' is not defined in the paper. Here: all centres (m) and angles (rad) within {} of the exact "
          "motion, 3.05 theta'' = -34.335 cos(theta) in closed form.",
          reproduce::correct_within),
      "IMSL's DIVPAG is replaced by CVODE's Adams-Moulton methods (order 1 to 12, fixed-point iteration); CPU times "
      "are of this machine, not of an Athlon 2600+."};
  if (options.paper_settings) {
    texts.push_back(fmt::format(
        "Paper settings: Varga's and Greville's methods as printed (varga-unpivoted, greville-plain); the rank "
        "threshold is TOL (section 4), read as absolute for D, and stays there: as soon as the constraint errors "
        "exceed "
        "it the redundant row counts as independent, and its right-hand side, which is only rounding and drift, is "
        "divided by a value just above the threshold; the first step tried is {} s, the printed initial time step. "
        "Runs give up at a sum of squares of 0.1 (all losses of precision are printed as 9.9e-2), or after 250,000 "
        "evaluations.",
        reproduce::papers_first_step));
  } else {
    texts.emplace_back(
        "The rank threshold is 1e-9 and kept above the constraint errors, so that the rank stays 11, whatever the "
        "pseudoinverse; Varga's method is pivoted, which a deficient rank needs, and Greville's chooses its order. "
        "With "
        "the paper's threshold = TOL and the methods as printed (--paper-settings) the rank does not stay. The first "
        "step is the integrator's own estimate.");
  }
  if (!baumgarte) {
    texts.emplace_back(
        "Without stabilisation errors of this linkage grow exponentially (about exp(2.2 t)): from rounding and "
        "integration errors to a wrong motion within 20 s. When exactly is a matter of chance, and of the start.");
  }
  if (options.fast) {
    texts.push_back(fmt::format("Fast subset: {} s instead of {} s, too short for verdicts; CPU times of single runs.",
                                duration_of(baumgarte, options), printed_duration));
  }
  return texts;
}

/// Printed counts over ours, of all rows that have them.
std::string count_note(const PublishedTable& published, const std::vector<FiveBarRun>& runs) {
  const PublishedRow& cheap = published.rows[greville];
  std::string ratios;
  for (int k = 0; k < 5; ++k) {
    const PublishedRow& row = published.rows[k];
    if (row.evaluations == 0 || row.doubtful || runs[k].evaluations == 0) continue;
    const double ratio = static_cast<double>(row.evaluations) / static_cast<double>(runs[k].evaluations);
    ratios += fmt::format("{}{} {:.0f}", ratios.empty() ? "" : ", ", printed_names[k], ratio);
  }
  return fmt::format(
      "Printed counts cannot be those of one run: Greville's {} s for {} evaluations are {:.2f} us each on an Athlon "
      "2600+, of which one takes longer today. Printed NFUNC over ours: {}. What was counted is not known.",
      cheap.cpu, cheap.evaluations, 1e6 * std::stod(cheap.cpu) / static_cast<double>(cheap.evaluations), ratios);
}

/// How far the paper's settings move results from the printed ones, beside what our own give.
std::string move_note(const PublishedTable& published, const std::vector<FiveBarRun>& runs,
                      const std::vector<FiveBarRun>& by_default) {
  std::vector<std::string> away, towards;
  for (int k = 0; k < 5; ++k) {
    const PublishedRow& row = published.rows[k];
    const double here = std::abs(row.until - runs[k].correct_until),
                 otherwise = std::abs(row.until - by_default[k].correct_until);
    if (std::abs(here - otherwise) < 0.5) continue;
    (here > otherwise ? away : towards)
        .push_back(fmt::format("{} (printed {:.4g} s, here {:.4g} s, by default {:.4g} s)", printed_names[k], row.until,
                               runs[k].correct_until, by_default[k].correct_until));
  }
  const auto names = [](const std::vector<std::string>& list) {
    return list.empty() ? std::string("none") : fmt::format("{}", fmt::join(list, ", "));
  };
  return fmt::format("The paper's settings move away from the paper: {}; towards it: {}.", names(away), names(towards));
}

std::string number_or_dash(long value) { return value > 0 ? fmt::format("{}", value) : "-"; }
std::string text_or_dash(const char* text) { return *text ? text : "-"; }

ReproducedTable side_by_side(const PublishedTable& published, const std::vector<FiveBarRun>& runs,
                             const ReproduceOptions& options) {
  ReproducedTable table;
  table.caption = fmt::format("TOL = {:.0e}, {}, {} s", published.tolerance,
                              published.baumgarte ? "Baumgarte alpha = 1000, beta = 100" : "no stabilisation",
                              runs.front().asked.duration);
  table.header = {"method",         "result (paper)", "result", "sum of squares (paper)",
                  "sum of squares", "NFUNC (paper)",  "NFUNC",  "NSTEPS (paper)",
                  "NSTEPS",         "CPU s (paper)",  "CPU s",  "us per evaluation",
                  "error, m or rad"};
  if (options.paper_settings) table.header.emplace_back("evaluations at another rank than 11");
  for (int k = 0; k < static_cast<int>(runs.size()); ++k) {
    const FiveBarRun& run = runs[k];
    const bool printed = k < 5;
    static const PublishedRow nothing = {fails, 0, "", 0, 0, ""};
    const PublishedRow& paper = printed ? published.rows[k] : nothing;
    table.rows.push_back(
        {printed ? printed_names[k] : "automatic (ours)", printed ? result_text(paper.outcome, paper.until) : "-",
         result_text(run), text_or_dash(paper.violation), fmt::format("{:.1e}", run.violation),
         number_or_dash(paper.evaluations), fmt::format("{}", run.evaluations), number_or_dash(paper.steps),
         fmt::format("{}", run.steps), text_or_dash(paper.cpu), fmt::format("{:.3g}", run.cpu_seconds),
         fmt::format("{:.1f}", run.microseconds_per_evaluation()), fmt::format("{:.1e}", run.error)});
    if (options.paper_settings)
      table.rows.back().push_back(printed ? fmt::format("{:.1f} %", 100 * run.wrong_rank_share) : "-");
  }
  table.note =
      "Sum of squares: largest over the run. Automatic: coordinates, formulation, stabilisation and integrator left "
      "to "
      "the program at the same tolerance.";
  return table;
}

Reproduction reproduce_table(int number, const ReproduceOptions& options) {
  const PublishedTable& published = tables[static_cast<std::size_t>(number - 2)];
  std::vector<FiveBarCase> cases = cases_of(published.tolerance, published.baumgarte, options);
  cases.push_back({"", published.tolerance, false, cases.front().duration, false});
  // Runs with these gains take seconds: one round of timing is enough to see factors.
  const int repeats = options.fast ? 0 : published.baumgarte ? std::min(options.repeats, 1) : options.repeats;
  const std::vector<FiveBarRun> runs = reproduce::run_five_bars(cases, repeats, options.progress);

  Reproduction result;
  result.paper = "defalco";
  result.item = fmt::format("table-{}", number);
  result.title = fmt::format("Table {}: five pseudoinverses on the five-bar, TOL = {:.0e}, {}", number,
                             published.tolerance, published.baumgarte ? "Baumgarte" : "no stabilisation");
  result.tables.push_back(side_by_side(published, runs, options));
  ReproducedPlot plot{.title = "Sum of squares of the constraint violations",
                      .x_label = "time, s",
                      .y_label = "sum of squares, m^2",
                      .y_logarithmic = true};
  for (int k = 0; k < 5; ++k) plot.curves.push_back(violation_curve(runs[k], printed_names[k]));
  result.plots.push_back(std::move(plot));
  result.differences = common_differences(published.baumgarte, options);
  if (options.fast) return result;
  judge_outcomes(published, runs, result);
  if (published.baumgarte) judge_violations(published, runs, result.claims);
  judge_gram_schmidt(published, runs, result);
  const std::string survivors = list([&](int k) { return published.rows[k].outcome == fails && runs[k].completed; });
  if (survivors != "none") {
    result.differences.push_back(fmt::format("Printed as failing, but reaching the end here{}: {}.{}",
                                             options.paper_settings ? " with the paper's threshold" : "", survivors,
                                             options.paper_settings
                                                 ? " Threshold, missing pivots and first step are then not why they "
                                                   "failed: the start or DIVPAG's own limits remain."
                                                 : ""));
  }
  if (options.paper_settings) {
    const std::vector<FiveBarRun> by_default = reproduce::run_five_bars(
        cases_of(published.tolerance, published.baumgarte, {.dynamics = options.dynamics}), 0, {});
    result.differences.push_back(move_note(published, runs, by_default));
  }
  result.differences.push_back(count_note(published, runs));
  if (number == 4) {
    result.differences.emplace_back(
        "Misprints: LS-Householder's sum of squares, NFUNC and NSTEPS are those of Table 3, and so is Greville's "
        "NSTEPS, "
        "which exceeds its NFUNC.");
  }
  mark_times(result, {"less expensive", "arithmetic"}, {"CPU s", "us per evaluation"});
  return result;
}

template <int number>
Reproduction table(const ReproduceOptions& options) {
  return reproduce_table(number, options);
}

/// How much larger the violations of the last quarter of a run are than those of the first; none if those are zero.
std::optional<double> growth(const FiveBarRun& run) {
  double first = 0, last = 0;
  const std::size_t quarter = run.violations.size() / 4;
  for (std::size_t k = 0; k < quarter; ++k) {
    first = std::max(first, run.violations[k]);
    last = std::max(last, run.violations[run.violations.size() - 1 - k]);
  }
  if (first <= 0) return {};
  return last / first;
}

double rate(const FiveBarRun& run) { return run.stopped > 0 ? static_cast<double>(run.evaluations) / run.stopped : 0; }

std::string text_or_dash(const std::optional<double>& value) {
  return value ? fmt::format("{:.1e}", *value) : std::string("-");
}

/// Of the runs without (the first five) and with stabilisation.
void judge_figure_2(const std::vector<FiveBarRun>& runs, Reproduction& result) {
  double least_gain = 1e300, least_growth = 1e300, most_growth = 0, least_cost = 1e300, most_cost = 0;
  for (int k = 0; k < 5; ++k) {
    const FiveBarRun &a = runs[k], &b = runs[k + 5];
    if (!growth(a) || !growth(b) || b.violation <= 0 || rate(a) <= 0) {
      result.differences.push_back(
          fmt::format("Not judged: {} has no violations or no evaluations to compare.", printed_names[k]));
      return;
    }
    least_gain = std::min(least_gain, a.violation / b.violation);
    least_growth = std::min(least_growth, *growth(a));
    most_growth = std::max(most_growth, *growth(b));
    least_cost = std::min(least_cost, rate(b) / rate(a));
    most_cost = std::max(most_cost, rate(b) / rate(a));
  }
  const PublishedRow &printed_none = tables[1].rows[greville], &printed_baumgarte = tables[4].rows[greville];
  result.claims = {
      {.text = "Without stabilisation the violations grow",
       .confirmed = least_growth > 10,
       .measured = fmt::format("by a factor of at least {:.1e} between the first and the last quarter", least_growth)},
      {.text = "With Baumgarte's stabilisation they do not grow",
       .confirmed = most_growth < 10,
       .measured = fmt::format("by a factor of at most {:.1e}", most_growth)},
      {.text = "Baumgarte's stabilisation makes them smaller by orders of magnitude",
       .confirmed = least_gain > 100,
       .measured = fmt::format("at least {:.1e} times smaller; printed for Greville: {} and {}", least_gain,
                               printed_none.violation, printed_baumgarte.violation)},
      {.text = fmt::format(
           "These gains multiply the evaluations (printed for Greville: {:.0f} times)",
           static_cast<double>(printed_baumgarte.evaluations) / static_cast<double>(printed_none.evaluations)),
       .confirmed = least_cost > 10,
       .measured = fmt::format("{:.0f} to {:.0f} times", least_cost, most_cost)}};
}

Reproduction figure_2(const ReproduceOptions& options) {
  constexpr double tolerance = 1e-8;
  std::vector<FiveBarCase> cases = cases_of(tolerance, false, options);
  const std::vector<FiveBarCase> stabilized = cases_of(tolerance, true, options);
  cases.insert(cases.end(), stabilized.begin(), stabilized.end());
  const std::vector<FiveBarRun> runs = reproduce::run_five_bars(cases, 0, options.progress);

  Reproduction result{.paper = "defalco",
                      .item = "figure-2",
                      .title = "Figure 2: violation of position constraints without and with Baumgarte stabilisation",
                      .tables = {},
                      .plots = {},
                      .claims = {},
                      .differences = common_differences(false, options)};
  ReproducedTable table{.caption = fmt::format("TOL = {:.0e}", tolerance),
                        .header = {"method", "sum of squares, none", "sum of squares, Baumgarte", "growth, none",
                                   "growth, Baumgarte", "evaluations per s, none", "evaluations per s, Baumgarte"},
                        .rows = {},
                        .note = "Growth: the largest violation of the last quarter of a run over that of the first."};
  ReproducedPlot without{.title = "a) without stabilisation",
                         .x_label = "time, s",
                         .y_label = "sum of squares, m^2",
                         .y_logarithmic = true};
  ReproducedPlot with = without;
  with.title = "b) Baumgarte, alpha = 1000, beta = 100";
  for (int k = 0; k < 5; ++k) {
    const FiveBarRun &a = runs[k], &b = runs[k + 5];
    table.rows.push_back({printed_names[k], fmt::format("{:.1e}", a.violation), fmt::format("{:.1e}", b.violation),
                          text_or_dash(growth(a)), text_or_dash(growth(b)), fmt::format("{:.0f}", rate(a)),
                          fmt::format("{:.0f}", rate(b))});
    without.curves.push_back(violation_curve(a, printed_names[k]));
    with.curves.push_back(violation_curve(b, printed_names[k]));
  }
  result.tables.push_back(std::move(table));
  result.plots = {std::move(without), std::move(with)};
  if (!options.fast) judge_figure_2(runs, result);
  result.differences.emplace_back(
      "The figure's curves are not in the text of the paper, nor its TOL: 1e-8 is taken. Baumgarte's gains are "
      "eigenvalues of -5 and -1995 1/s, so that stability and the fixed-point iteration bound the steps, not "
      "accuracy.");
  return result;
}

}  // namespace

Paper defalco() {
  return {
      .name = "defalco",
      .citation =
          "D. de Falco, E. Pennestri, L. Vita: The Udwadia-Kalaba formulation: a report on its numerical "
          "efficiency in multibody dynamics simulations and on its teaching effectiveness, 2005",
      .items = {{"table-1", "Table 1: four formulations in the opinion of students", reproduce::defalco_table_1},
                {"table-2", "Table 2: five pseudoinverses on the five-bar, TOL = 1e-10", table<2>},
                {"table-3", "Table 3: five pseudoinverses on the five-bar, TOL = 1e-8", table<3>},
                {"table-4", "Table 4: five pseudoinverses on the five-bar, TOL = 1e-6", table<4>},
                {"table-5", "Table 5: as Table 2 with Baumgarte's stabilisation", table<5>},
                {"table-6", "Table 6: as Table 3 with Baumgarte's stabilisation", table<6>},
                {"table-7", "Table 7: as Table 4 with Baumgarte's stabilisation", table<7>},
                {"figure-2", "Figure 2: violation of position constraints", figure_2},
                {"flops", "Sections 1 and 8: operations that a pseudoinverse takes", reproduce::defalco_flops},
                {"as-printed", "Section 2: pseudoinverses as printed on the five-bar", reproduce::defalco_as_printed}}};
}

}  // namespace bricard::paper_list

// Table 1 and Figures 3 to 11 of Pekal and Fraczek: five formulations on two McPherson struts in Euler angles (zxz),
// Dormand-Prince 5(4), 10 s; no stabilisation, Baumgarte (9) with 10/10, coordinate partitioning once at the start;
// four tolerances.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "papers/strut_study.h"

namespace bricard::paper_list {
namespace {

using namespace reproduce;

enum { direct, udwadia_kalaba, least_squares_1, least_squares_2, udwadia_phohomsiri };
constexpr std::array<const char*, strut_methods> method_names = {"direct", "Udwadia-Kalaba", "least squares 1",
                                                                 "least squares 2", "Udwadia-Phohomsiri"};
constexpr std::array<const char*, 2> strut_names = {"simplified", "overconstrained"};
constexpr std::array<const char*, 3> stabilization_names = {"none", "Baumgarte", "partitioning"};

/// Seconds as printed, by figure (3 to 8), tolerance, method.
constexpr std::array<double, 4> printed_tolerances = {1e-10, 1e-8, 1e-6, 1e-3};
constexpr std::array<std::array<std::array<double, strut_methods>, 4>, 6> printed_times = {{
    {{{3.10, 3.55, 3.58, 3.78, 3.95},
      {1.33, 1.45, 1.41, 1.50, 1.59},
      {0.59, 0.60, 0.61, 0.63, 0.67},
      {0.29, 0.27, 0.27, 0.27, 0.29}}},
    {{{4.70, 3.62, 3.63, 3.77, 4.02},
      {1.92, 1.46, 1.48, 1.52, 1.64},
      {0.84, 0.61, 0.63, 0.64, 0.67},
      {0.40, 0.27, 0.27, 0.28, 0.30}}},
    {{{10.39, 12.13, 12.19, 12.56, 13.46},
      {4.35, 5.00, 5.01, 5.17, 5.52},
      {1.96, 2.22, 2.22, 2.28, 2.46},
      {0.88, 0.94, 0.94, 0.97, 1.04}}},
    {{{15.69, 12.27, 12.37, 12.80, 13.54},
      {6.51, 5.09, 5.14, 5.31, 5.67},
      {2.90, 2.55, 2.29, 2.32, 2.49},
      {1.27, 1.00, 0.95, 0.98, 1.33}}},
    {{{6.05, 6.18, 6.22, 6.38, 6.59},
      {2.45, 2.52, 2.51, 2.59, 2.65},
      {1.07, 1.05, 1.05, 1.07, 1.12},
      {0.48, 0.45, 0.47, 0.46, 0.47}}},
    {{{7.49, 6.45, 6.47, 6.56, 6.86},
      {3.11, 2.66, 2.64, 2.69, 2.87},
      {1.35, 1.10, 1.10, 1.13, 1.17},
      {0.60, 0.46, 0.47, 0.48, 0.49}}},
}};

double printed_time(int number, int method, double tolerance) {
  const auto row = std::find(printed_tolerances.begin(), printed_tolerances.end(), tolerance);
  return printed_times[static_cast<std::size_t>(number - 3)][static_cast<std::size_t>(row - printed_tolerances.begin())]
                      [static_cast<std::size_t>(method)];
}

/// CPU times of five methods in one case: one figure, one tolerance.
struct Case {
  const StrutFigure* figure;
  double tolerance;
  std::array<double, strut_methods> ours, printed;
  std::array<long, strut_methods> evaluations;
  double error;       // largest of the five
  double iterations;  // of Newton-Raphson, an evaluation, largest of the five; 0: there are none
};

/// What a motion in independent coordinates says of its iterations in the summary.
double iterations_of(const Summary& summary) {
  constexpr const char* words = "Newton-Raphson took ";
  for (const std::string& message : summary.messages) {
    if (const auto at = message.find(words); at != std::string::npos)
      return std::stod(message.substr(at + std::string(words).size()));
  }
  return 0;
}

/// Cases in the order of the paper's table, without those in which a method did not complete.
std::vector<Case> cases_of(const StrutStudy& study) {
  std::vector<Case> cases;
  for (const StrutFigure& figure : strut_figures) {
    for (const double tolerance : study.tolerances) {
      Case one{&figure, tolerance, {}, {}, {}, 0, 0};
      bool complete = true;
      for (int method = 0; method < strut_methods; ++method) {
        const ComparedRun* run = study.find(figure, method, tolerance);
        complete = complete && run;
        if (!run) continue;
        one.ours[method] = run->cpu_seconds;
        one.printed[method] = printed_time(figure.number, method, tolerance);
        one.evaluations[method] = run->summary.evaluations - run->summary.outputs;
        one.error = std::max(one.error, run->error);
        one.iterations = std::max(one.iterations, iterations_of(run->summary));
      }
      if (complete) cases.push_back(one);
    }
  }
  return cases;
}

using Times = std::array<double, strut_methods>;

constexpr const char* nothing_completed = "no case completed";

/// A statement about the times of one case, counted over the cases of a strut, here and in print.
Claim in_most(const std::vector<Case>& cases, Strut strut, const std::string& text,
              const std::function<bool(const Times&)>& holds, const std::string& also = "") {
  int all = 0, ours = 0, printed = 0;
  for (const Case& one : cases) {
    if (one.figure->strut != strut) continue;
    ++all;
    if (holds(one.ours)) ++ours;
    if (holds(one.printed)) ++printed;
  }
  return {.text = text,
          .confirmed = 2 * ours > all,
          .measured = fmt::format("in {} of {} cases here, in {} of the printed ones{}", ours, all, printed, also),
          .not_judged = all > 0 ? "" : nothing_completed,
          .of_times = true};
}

int fastest(const Times& times) {
  return static_cast<int>(std::min_element(times.begin(), times.end()) - times.begin());
}
int slowest(const Times& times) {
  return static_cast<int>(std::max_element(times.begin(), times.end()) - times.begin());
}

struct Range {
  double least = 1e300, most = 0, sum = 0;
  int count = 0;
  void see(double value) {
    least = std::min(least, value), most = std::max(most, value);
    sum += value, ++count;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
  std::string text() const { return count > 0 ? fmt::format("{:.2f} to {:.2f}", least, most) : "nothing to compare"; }
};

/// Means over all methods, struts and tolerances of the time with one stabilisation over that with another.
struct Ratios {
  Range ours, printed;
};
Ratios stabilization_ratios(const std::vector<Case>& cases, StrutStabilization a, StrutStabilization b) {
  Ratios ratios;
  for (const Case& one : cases) {
    if (one.figure->stabilization != a) continue;
    for (const Case& other : cases) {
      if (other.figure->stabilization != b || other.figure->strut != one.figure->strut ||
          other.tolerance != one.tolerance)
        continue;
      for (std::size_t method = 0; method < strut_methods; ++method) {
        ratios.ours.see(one.ours[method] / other.ours[method]);
        ratios.printed.see(one.printed[method] / other.printed[method]);
      }
    }
  }
  return ratios;
}

std::string both(const Ratios& ratios) {
  return fmt::format("{} times here (mean {:.2f}), {} times in print (mean {:.2f})", ratios.ours.text(),
                     ratios.ours.mean(), ratios.printed.text(), ratios.printed.mean());
}

/// Time of the direct method over the best of the others.
Ratios direct_over_best(const std::vector<Case>& cases, Strut strut) {
  Ratios ratios;
  const auto ratio = [](const Times& times) {
    return times[direct] / *std::min_element(times.begin() + 1, times.end());
  };
  for (const Case& one : cases) {
    if (one.figure->strut != strut) continue;
    ratios.ours.see(ratio(one.ours));
    ratios.printed.see(ratio(one.printed));
  }
  return ratios;
}

std::vector<Claim> judge_times(const std::vector<Case>& cases) {
  const Strut simple = Strut::simplified, redundant = Strut::overconstrained;
  std::vector<Claim> claims;
  claims.push_back(in_most(
      cases, simple, "Without redundancy direct integration is the fastest in most cases",
      [](const Times& times) { return fastest(times) == direct; },
      "; its time over the best of the others: " + both(direct_over_best(cases, simple))));
  claims.push_back(in_most(
      cases, redundant, "With redundancy direct integration is the slowest in most cases",
      [](const Times& times) { return slowest(times) == direct; },
      "; its time over the best of the others: " + both(direct_over_best(cases, redundant))));
  claims.push_back(in_most(
      cases, redundant, "With redundancy Udwadia-Kalaba and least squares 1 are the fastest",
      [](const Times& times) { return fastest(times) == udwadia_kalaba || fastest(times) == least_squares_1; }));
  claims.push_back(in_most(cases, simple, "Without redundancy Udwadia-Phohomsiri is the slowest",
                           [](const Times& times) { return slowest(times) == udwadia_phohomsiri; }));
  claims.push_back(in_most(cases, redundant, "With redundancy Udwadia-Phohomsiri is slower than least squares 2",
                           [](const Times& times) { return times[udwadia_phohomsiri] > times[least_squares_2]; }));
  Range ours, printed;
  for (const Case& one : cases) {
    const auto spread = [](const Times& times) {
      const auto [least, most] =
          std::minmax_element(times.begin() + udwadia_kalaba, times.begin() + udwadia_phohomsiri);
      return *most / *least;
    };
    ours.see(spread(one.ours));
    printed.see(spread(one.printed));
  }
  claims.push_back(
      {.text = "Udwadia-Kalaba and both least squares are similarly effective in all analyses",
       .confirmed = ours.most<1.3,
                              .measured = fmt::format("slowest over fastest of the three: {} here, {} in print",
                                                      ours.text(), printed.text()),
                              .not_judged = ours.count> 0
                        ? ""
                        : nothing_completed,
       .of_times = true});
  const auto none = StrutStabilization::none, baumgarte = StrutStabilization::baumgarte,
             partitioning = StrutStabilization::partitioning;
  const auto of_ratio = [&](const char* text, StrutStabilization a, StrutStabilization b, const auto& holds) {
    const Ratios ratios = stabilization_ratios(cases, a, b);
    claims.push_back({.text = text,
                      .confirmed = holds(ratios.ours),
                      .measured = both(ratios),
                      .not_judged = ratios.ours.count > 0 ? "" : nothing_completed,
                      .of_times = true});
  };
  const auto longer = [](const Range& ratio) { return ratio.least > 1; };
  of_ratio("Stabilised simulations take longer than unstabilised ones: Baumgarte", baumgarte, none, longer);
  of_ratio("Stabilised simulations take longer than unstabilised ones: partitioning", partitioning, none, longer);
  of_ratio("Partitioning takes about half as long as no stabilisation (the text; not the paper's own table)",
           partitioning, none, [](const Range& ratio) { return ratio.mean() > 1 / 3.0 && ratio.mean() < 1 / 1.5; });
  of_ratio("Baumgarte takes about twice as long as partitioning", baumgarte, partitioning,
           [](const Range& ratio) { return ratio.mean() > 1.5 && ratio.mean() < 3; });
  return claims;
}

std::vector<std::string> common_differences(const StrutStudy& study, const ReproduceOptions& options) {
  std::vector<std::string> texts = {
      // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): sentences over several lines
      "The coordinates of the paper's drawings are not in its text: the struts here have every dimension it states, "
      "start at rest, and agree with an independent solution of the same geometry (see the table of the motion in "
      "figures-3-11).",
      "Times are CPU seconds of compiled code on this machine, least of the rounds; the paper's are means of ten runs "
      "in "
      "MATLAB R2014b on a Core i5 M520. There one evaluation costs about the same by any method, presumably because "
      "interpreting the equations costs most: here the linear algebra does, and the methods differ by more.",
      "'Direct' is `lagrange` on the simplified strut and `lagrange-pseudoinverse` on the other one. Pseudoinverses "
      "are "
      "by SVD, with a rank threshold above the constraint errors.",
      "`dopri5` stands for ode45: the same formulas, another step size control, outputs every 0.1 s.",
      "Partitioning is the paper's: `--state independent --partition once`, and `--position-tolerance` a thousandth of "
      "the tolerance. Which coordinates are independent it does not say: here Gauss elimination with full pivoting "
      "chooses them at the start. Newton-Raphson begins with the positions accepted last.",
      "Erratum: the text has partitioning take about half as long as no stabilisation; by table 1 (figures 7 and 3, 8 "
      "and 4) it takes 1.50 to 1.95 times as long, as the conclusions say too."};
  if (options.paper_settings) texts.emplace_back("The settings that the paper states are in use already.");
  if (options.fast) {
    texts.push_back(
        fmt::format("Fast subset: {} s instead of 10 s, {} of 4 tolerances, CPU times from single runs on "
                    "busy cores.",
                    study.duration, study.tolerances.size()));
  }
  for (const Comparison& comparison : study.comparisons) {
    for (const ComparedRun& run : comparison.runs) {
      if (!run.completed())
        texts.push_back(
            fmt::format("{}, {}: {}", comparison.model, run.name, run.ran() ? run.summary.failure : run.refusal));
    }
  }
  return texts;
}

/// A part of the paper's runs decides nothing about the whole.
void judge_nothing(const StrutStudy& study, std::vector<Claim>& claims) {
  for (Claim& claim : claims)
    claim.not_judged =
        fmt::format("{} s of 10 s and {} of 4 tolerances were run", study.duration, study.tolerances.size());
}

std::vector<std::string> case_cells(const Case& one) {
  return {fmt::format("{}", one.figure->number), strut_names[static_cast<std::size_t>(one.figure->strut)],
          stabilization_names[static_cast<std::size_t>(one.figure->stabilization)],
          fmt::format("{:.0e}", one.tolerance)};
}

Reproduction table_1(const ReproduceOptions& options) {
  const StrutStudy& study = strut_study(options);
  const std::vector<Case> cases = cases_of(study);
  Reproduction result{.paper = "pekal-fraczek",
                      .item = "table-1",
                      .title = "Table 1: computation times of five methods on two struts",
                      .tables = {},
                      .plots = {},
                      .claims = judge_times(cases),
                      .differences = common_differences(study, options)};
  if (options.fast) judge_nothing(study, result.claims);
  ReproducedTable table{.caption = fmt::format("CPU time in s for {} s of motion", study.duration),
                        .header = {"figure", "strut", "stabilisation", "tolerance"},
                        .rows = {}};
  for (const char* name : method_names) {
    table.header.push_back(fmt::format("{} (paper)", name));
    table.header.emplace_back(name);
    table.timed.emplace_back(name);
  }
  for (const Case& one : cases) {
    std::vector<std::string> cells = case_cells(one);
    for (std::size_t method = 0; method < strut_methods; ++method) {
      cells.push_back(fmt::format("{:.2f}", one.printed[method]));
      cells.push_back(fmt::format("{:.4f}", one.ours[method]));
    }
    table.rows.push_back(std::move(cells));
  }
  result.tables.push_back(std::move(table));
  for (const StrutFigure& figure : strut_figures) {
    ReproducedPlot plot{.title = fmt::format("Figure {}: {} strut, stabilisation {}", figure.number,
                                             strut_names[static_cast<std::size_t>(figure.strut)],
                                             stabilization_names[static_cast<std::size_t>(figure.stabilization)]),
                        .x_label = "tolerance",
                        .y_label = "time, s",
                        .x_logarithmic = true,
                        .y_logarithmic = true};
    for (std::size_t method = 0; method < strut_methods; ++method) {
      ReproducedPlot::Curve ours{.name = method_names[method], .x = {}, .y = {}};
      ReproducedPlot::Curve printed{
          .name = fmt::format("{} (paper)", method_names[method]), .x = {}, .y = {}, .published = true};
      for (const Case& one : cases) {
        if (one.figure->number != figure.number) continue;
        ours.x.push_back(one.tolerance), ours.y.push_back(one.ours[method]);
        printed.x.push_back(one.tolerance), printed.y.push_back(one.printed[method]);
      }
      plot.curves.push_back(std::move(ours));
      plot.curves.push_back(std::move(printed));
    }
    result.plots.push_back(std::move(plot));
  }
  mark_times(result, {"fastest", "slowest", "slower", "effective", "longer", "as long"},
             {"direct", "Udwadia-Kalaba", "least squares", "Udwadia-Phohomsiri"});
  return result;
}

// --- figures ---

/// An independent solution of both struts (extended precision, independent coordinates).
struct ReferenceValue {
  double time;
  const char* column;
  double value;
};
constexpr std::array<ReferenceValue, 12> independent_solution = {{
    {1, "arm.y", 0.14943485395294157},
    {1, "arm.z", -0.013008628831011573},
    {1, "knuckle.x", 0.00957454689477052},
    {1, "knuckle.y", 0.2925708263339322},
    {1, "knuckle.z", 0.19201738795228496},
    {1, "rack.y", -0.28963477497723816},
    {10, "arm.y", 0.0061313496540567145},
    {10, "arm.z", 0.1498746361177224},
    {10, "knuckle.x", 0.007441246110035507},
    {10, "knuckle.y", 0.1134006194510886},
    {10, "knuckle.z", 0.49310439503010367},
    {10, "rack.y", -0.20840541899900386},
}};

/// Value of a column at a time; every time asked for is an output.
double value_at(const MemorySink& rows, double time, const std::string& column) {
  const auto row = std::find_if(rows.rows.begin(), rows.rows.end(),
                                [&](const Vector& candidate) { return std::abs(candidate[0] - time) < 1e-9; });
  return row == rows.rows.end() ? 0 : (*row)[rows.index(column)];
}

ReproducedTable motion_table(const StrutStudy& study) {
  ReproducedTable table{
      .caption = "Motion: an independent solution of this geometry, and the automatic method at 1e-12",
      .header = {"time, s", "coordinate, m", "independent", "simplified", "overconstrained", "largest difference"},
      .rows = {}};
  for (const ReferenceValue& reference : independent_solution) {
    if (reference.time > study.duration) continue;
    std::array<double, 2> ours{};
    for (std::size_t strut = 0; strut < 2; ++strut)
      ours[strut] = value_at(study.references[strut], reference.time, reference.column);
    const double difference = std::max(std::abs(ours[0] - reference.value), std::abs(ours[1] - reference.value));
    table.rows.push_back({fmt::format("{}", reference.time), reference.column, fmt::format("{:.12f}", reference.value),
                          fmt::format("{:.12f}", ours[0]), fmt::format("{:.12f}", ours[1]),
                          fmt::format("{:.1e}", difference)});
  }
  return table;
}

ReproducedTable evaluation_table(const std::vector<Case>& cases) {
  ReproducedTable table{.caption = "Right-hand sides, and the largest error of the five methods",
                        .header = {"figure", "strut", "stabilisation", "tolerance"},
                        .rows = {},
                        .note =
                            "The paper shows its counts in drawings only. Error: places of the bodies over the length "
                            "of the strut, or angles in rad, against the automatic method at 1e-12."};
  for (const char* name : method_names) table.header.emplace_back(name);
  table.header.emplace_back("error");
  for (const Case& one : cases) {
    std::vector<std::string> cells = case_cells(one);
    for (const long count : one.evaluations) cells.push_back(fmt::format("{}", count));
    cells.push_back(fmt::format("{:.1e}", one.error));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

double largest(const std::vector<double>& values, std::size_t from, std::size_t to) {
  double most = 0;
  for (std::size_t k = from; k < std::min(to, values.size()); ++k) most = std::max(most, values[k]);
  return most;
}

/// How the norms of the last tenth of a run compare with those of the first one: 10 times for a drift linear in time.
/// Rounding does not drift; where the first tenth holds nothing, nothing can be compared.
struct Growth {
  bool is_known = false, drifts = false;
  std::string text = "nothing to compare";
};
Growth growth(const std::vector<double>& norms) {
  constexpr double drifting = 5, rounding = 1e-14;
  const std::size_t tenth = norms.size() / 10;
  const double first = largest(norms, 0, tenth), last = largest(norms, norms.size() - tenth, norms.size());
  if (norms.empty()) return {};
  if (last < rounding) return {true, false, "rounding"};
  if (first == 0) return {};
  return {true, last / first > drifting, fmt::format("{:.1f}", last / first)};
}
constexpr const char* no_growth = "the first tenth of the run has no error that the last could be compared with";

void judge_counts(const std::vector<Case>& cases, std::vector<Claim>& claims) {
  Range tight, loose;
  for (const Case& one : cases) {
    const auto [least, most] = std::minmax_element(one.evaluations.begin(), one.evaluations.end());
    (one.tolerance < 1e-4 ? tight : loose).see(static_cast<double>(*most) / static_cast<double>(*least));
  }
  claims.push_back(
      {.text = "All methods take the same number of right-hand sides in each case (the paper: but for one "
               "case at 1e-3)",
       .confirmed = tight.most<1.01,
                               .measured = fmt::format("most over least of the five: {} up to 1e-6, {} at 1e-3",
                                                       tight.text(), loose.text()),
                               .not_judged = tight.count> 0
                        ? ""
                        : nothing_completed});
}

void judge_iterations(const std::vector<Case>& cases, std::vector<Claim>& claims) {
  Range steps;
  for (const Case& one : cases) {
    if (one.iterations > 0) steps.see(one.iterations);
  }
  claims.push_back(
      {.text = "Newton-Raphson needs typically 3 or 4 iterations",
       .confirmed = steps.mean() > 2.5 && steps.mean() < 4.5,
       .measured = fmt::format("{} steps for an evaluation, mean {:.2f}; the last test that finds nothing left to do "
                               "is 1 more, if the paper counts it",
                               steps.text(), steps.mean()),
       .not_judged = steps.count > 0 ? "" : nothing_completed});
}

void judge_norms(const std::array<const ComparedRun*, 3>& runs, std::vector<Claim>& claims) {
  const ComparedRun *none = runs[0], *baumgarte = runs[1], *partitioning = runs[2];
  if (!none || !baumgarte || !partitioning) return;
  const auto degrades = [&](const char* level, double most, const std::vector<double>& norms) {
    const Growth grown = growth(norms);
    claims.push_back(
        {.text = fmt::format("Without stabilisation the {} constraints degrade quickly (Figure 9)", level),
         .confirmed = grown.drifts,
         .measured = fmt::format("{:.1e} at most; last tenth over first tenth of the run: {}", most, grown.text),
         .not_judged = grown.is_known ? "" : no_growth});
  };
  degrades("position", none->summary.constraint_position_max, none->position);
  degrades("velocity", none->summary.constraint_velocity_max, none->velocity);
  const auto steady = [&](const ComparedRun& run, const char* text) {
    const Growth position = growth(run.position), velocity = growth(run.velocity);
    claims.push_back(
        {.text = text,
         .confirmed = !position.drifts && !velocity.drifts,
         .measured = fmt::format("position {:.1e}, velocity {:.1e} at most; last tenth over first tenth: {} and {}",
                                 run.summary.constraint_position_max, run.summary.constraint_velocity_max,
                                 position.text, velocity.text),
         .not_judged = position.is_known && velocity.is_known ? "" : no_growth});
  };
  steady(*baumgarte, "Baumgarte shows no drift-off (Figure 10)");
  steady(*partitioning, "Partitioning shows no drift-off (Figure 11)");
}

Reproduction figures_3_to_11(const ReproduceOptions& options) {
  const StrutStudy& study = strut_study(options);
  const std::vector<Case> cases = cases_of(study);
  Reproduction result{.paper = "pekal-fraczek",
                      .item = "figures-3-11",
                      .title = "Figures 3 to 11: right-hand sides, and constraint norms over time",
                      .tables = {evaluation_table(cases), motion_table(study)},
                      .plots = {},
                      .claims = {},
                      .differences = common_differences(study, options)};
  for (const StrutFigure& figure : strut_figures) {
    ReproducedPlot plot{.title = fmt::format("Figure {}: {} strut, stabilisation {}", figure.number,
                                             strut_names[static_cast<std::size_t>(figure.strut)],
                                             stabilization_names[static_cast<std::size_t>(figure.stabilization)]),
                        .x_label = "tolerance",
                        .y_label = "right-hand sides",
                        .x_logarithmic = true,
                        .y_logarithmic = true};
    for (std::size_t method = 0; method < strut_methods; ++method) {
      ReproducedPlot::Curve curve{.name = method_names[method], .x = {}, .y = {}};
      for (const Case& one : cases) {
        if (one.figure->number != figure.number) continue;
        curve.x.push_back(one.tolerance), curve.y.push_back(static_cast<double>(one.evaluations[method]));
      }
      plot.curves.push_back(std::move(curve));
    }
    result.plots.push_back(std::move(plot));
  }
  // The paper's choice: least squares 2, simplified strut, tightest tolerance.
  std::array<const ComparedRun*, 3> shown{};
  for (std::size_t k = 0; k < 3; ++k) {
    const StrutFigure figure{0, Strut::simplified, static_cast<StrutStabilization>(k)};
    shown[k] = study.find(figure, least_squares_2, study.tolerances.front());
    if (!shown[k]) continue;
    ReproducedPlot plot{.title = fmt::format("Figure {}: constraint norms, stabilisation {}, tolerance {:.0e}", 9 + k,
                                             stabilization_names[k], study.tolerances.front()),
                        .x_label = "time, s",
                        .y_label = "norm",
                        .y_logarithmic = true};
    const auto add = [&](const char* name, const std::vector<double>& values) {
      ReproducedPlot::Curve curve{.name = name, .x = shown[k]->times, .y = values};
      for (double& value : curve.y) value = std::max(value, 1e-18);  // for a logarithmic axis
      plot.curves.push_back(std::move(curve));
    };
    add("position", shown[k]->position);
    add("velocity", shown[k]->velocity);
    add("acceleration", shown[k]->acceleration);
    result.plots.push_back(std::move(plot));
  }
  judge_counts(cases, result.claims);
  judge_iterations(cases, result.claims);
  judge_norms(shown, result.claims);
  if (options.fast) judge_nothing(study, result.claims);
  return result;
}

}  // namespace

Paper pekal_fraczek() {
  return {.name = "pekal-fraczek",
          .citation =
              "M. Pekal, J. Fraczek: Comparison of selected formulations for multibody system dynamics with "
              "redundant constraints, Archive of Mechanical Engineering 63 (2016) 93-112",
          .items = {{"table-1", "Table 1: computation times of five methods on two struts", table_1},
                    {"figures-3-11", "Figures 3 to 11: right-hand sides and constraint norms", figures_3_to_11}}};
}

}  // namespace bricard::paper_list

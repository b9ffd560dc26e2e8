// Garcia de Jalon and Bayo, table 5.1 (example 5.1): largest errors of the constraints of a double pendulum and CPU
// times for penalties from 1e1 to 1e11 and 0, 1 and 2 iterations of the augmented Lagrangian method.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bricard/simulate.h"
#include "papers/jalon_bayo_studies.h"
#include "papers/reproduction.h"
#include "papers/shipped_models.h"
#include "papers/timing.h"

namespace bricard {
namespace {

constexpr int penalty_count = 6, iteration_count = 3;
constexpr std::array<double, penalty_count> penalties = {1e1, 1e3, 1e5, 1e7, 1e9, 1e11};

using Grid = std::array<std::array<double, iteration_count>, penalty_count>;
constexpr Grid printed_errors = {{{0.7e-1, 0.7e-2, 0.9e-3},
                                  {0.7e-3, 0.6e-5, 0.6e-5},
                                  {0.1e-4, 0.6e-5, 0.6e-5},
                                  {0.6e-5, 0.6e-5, 0.6e-5},
                                  {0.6e-5, 0.6e-5, 0.6e-5},
                                  {0.1e-4, 0.9e-5, 0.2e-4}}};
constexpr Grid printed_seconds = {{{10.5, 12.8, 14.1},
                                   {11.7, 13.3, 14.6},
                                   {11.7, 13.3, 14.6},
                                   {11.7, 13.3, 14.6},
                                   {11.7, 13.3, 14.6},
                                   {17.3, 19.1, 21.9}}};

/// All 18 runs at one tolerance of the integrator.
struct Runs {
  double tolerance = 0;
  Grid errors{}, seconds{}, evaluations{};
  bool completed = true;

  /// What is left where the penalty no longer matters.
  double floor() const {
    double smallest = 1e300;
    for (const auto& row : errors)
      for (const double error : row) smallest = std::min(smallest, error);
    return smallest;
  }
};

Method method_of(double tolerance, double penalty, int iterations, double duration) {
  Method method;
  method.coordinates = "natural", method.formulation = "augmented-lagrangian";
  method.stabilization = "none", method.integrator = "bdf";
  method.omega = 10, method.mu = 1;
  method.penalty = penalty, method.penalty_kind = "absolute", method.iterations = iterations;
  method.tolerance = tolerance, method.duration = duration, method.output_step = duration / 100;
  return method;
}

Runs measure(const std::shared_ptr<const Model>& model, double tolerance, double duration, int rounds,
             const std::function<void(double)>& progress) {
  Runs runs;
  runs.tolerance = tolerance;
  std::vector<std::function<double()>> candidates;
  for (int p = 0; p < penalty_count; ++p) {
    for (int i = 0; i < iteration_count; ++i) {
      candidates.emplace_back([&, p, i] {
        const Summary summary = simulate(model, method_of(tolerance, penalties[p], i, duration)).summary;
        runs.errors[p][i] = summary.constraint_position_max;
        runs.evaluations[p][i] = static_cast<double>(summary.evaluations);
        runs.completed = runs.completed && summary.ok();
        return summary.cpu_seconds;
      });
    }
  }
  const std::vector<double> seconds = smallest_times(rounds, candidates, progress);
  for (int p = 0; p < penalty_count; ++p) {
    for (int i = 0; i < iteration_count; ++i) runs.seconds[p][i] = seconds[iteration_count * p + i];
  }
  return runs;
}

/// Smallest penalty from which on errors stay within a factor of `allowed` of the floor.
double acceptable_from(const Grid& errors, int iterations, double floor, double allowed) {
  double from = INFINITY;
  for (int p = penalty_count - 1; p >= 0 && errors[p][iterations] <= allowed * floor; --p) from = penalties[p];
  return from;
}

double median_ratio(const Grid& grid, int iterations) {
  std::vector<double> ratios;
  for (const auto& row : grid) ratios.push_back(row[iterations] / row[0]);
  std::sort(ratios.begin(), ratios.end());
  return 0.5 * (ratios[penalty_count / 2 - 1] + ratios[penalty_count / 2]);
}

std::string power(double value) {
  return std::isfinite(value) ? fmt::format("1e{:.0f}", std::log10(value)) : std::string("no penalty");
}

ReproducedPlot::Curve curve_of(const std::string& name, const Grid& grid, int iterations, bool published) {
  ReproducedPlot::Curve curve{name, {penalties.begin(), penalties.end()}, {}, published};
  for (const auto& row : grid) curve.y.push_back(row[iterations]);
  return curve;
}

ReproducedTable error_table(const std::vector<Runs>& all) {
  ReproducedTable table{"Largest constraint errors (norm of Phi), by number of iterations", {"penalty"}, {}};
  for (int i = 0; i < iteration_count; ++i) {
    table.header.push_back(fmt::format("{}: book", i));
    for (const Runs& runs : all) table.header.push_back(fmt::format("{}: ours at {:.0e}", i, runs.tolerance));
  }
  for (int p = 0; p < penalty_count; ++p) {
    std::vector<std::string> row = {power(penalties[p])};
    for (int i = 0; i < iteration_count; ++i) {
      row.push_back(fmt::format("{:.0e}", printed_errors[p][i]));
      for (const Runs& runs : all) row.push_back(fmt::format("{:.1e}", runs.errors[p][i]));
    }
    table.rows.push_back(row);
  }
  return table;
}

ReproducedTable time_table(const Runs& runs) {
  ReproducedTable table{
      fmt::format("CPU times, by number of iterations (ours at {:.0e})", runs.tolerance), {"penalty"}, {}};
  for (int i = 0; i < iteration_count; ++i) {
    table.header.push_back(fmt::format("{}: book, s", i));
    table.header.push_back(fmt::format("{}: ours, ms", i));
    table.timed.push_back(table.header.back());
    table.header.push_back(fmt::format("{}: evaluations", i));
  }
  for (int p = 0; p < penalty_count; ++p) {
    std::vector<std::string> row = {power(penalties[p])};
    for (int i = 0; i < iteration_count; ++i) {
      row.push_back(fmt::format("{:.1f}", printed_seconds[p][i]));
      row.push_back(fmt::format("{:.2f}", 1e3 * runs.seconds[p][i]));
      row.push_back(fmt::format("{:.0f}", runs.evaluations[p][i]));
    }
    table.rows.push_back(row);
  }
  return table;
}

// --- what the book concludes from errors ---

constexpr std::array<const char*, 4> statements = {
    "one iteration considerably widens the range of acceptable penalties (errors within 5 times the smallest)",
    "without iterations the error falls like 1/penalty (book: 0.07 at 1e1, 0.0007 at 1e3)",
    "with iterations the analyst need not be concerned with the penalty (1e3 to 1e11)",
    "a penalty of 1e11 suffers from round-off: less accurate (book: 1.7 times the error of 1e7)"};

const char* statement_of(std::size_t claim) { return statements[claim]; }

/// One for each statement.
std::vector<Claim> claims_on_errors(const Runs& runs) {
  std::vector<Claim> claims;
  const auto add = [&](bool confirmed, const std::string& measured) {
    claims.push_back(
        {fmt::format("{}; at tolerance {:.0e}", statements[claims.size()], runs.tolerance), confirmed, measured});
    if (!runs.completed) claims.back().not_judged = "a run did not complete";
  };
  constexpr double allowed = 5;  // times the floor is acceptable
  const double from0 = acceptable_from(runs.errors, 0, runs.floor(), allowed),
               from1 = acceptable_from(runs.errors, 1, runs.floor(), allowed);
  const double book0 = acceptable_from(printed_errors, 0, 0.6e-5, allowed),
               book1 = acceptable_from(printed_errors, 1, 0.6e-5, allowed);
  add(from1 * 10 < from0 && from1 < INFINITY,
      fmt::format("acceptable from {} with one iteration, from {} without (book: {} and {})", power(from1),
                  power(from0), power(book1), power(book0)));
  const double drop = runs.errors[0][0] / runs.errors[1][0];
  add(drop > 50 && drop < 200,
      fmt::format("{:.1e} at 1e1 over {:.1e} at 1e3 is {:.2g}", runs.errors[0][0], runs.errors[1][0], drop));
  double low = 1e300, high = 0;
  for (int p = 1; p < penalty_count; ++p) {
    for (int i = 1; i < iteration_count; ++i)
      low = std::min(low, runs.errors[p][i]), high = std::max(high, runs.errors[p][i]);
  }
  add(high < 10 * low, fmt::format("errors from {:.1e} to {:.1e} (book: 6e-06 to 2e-05)", low, high));
  add(runs.errors[5][0] > 1.2 * runs.errors[3][0],
      fmt::format("{:.1e} with 1e11, {:.1e} with 1e7", runs.errors[5][0], runs.errors[3][0]));
  return claims;
}

Reproduction table_5_1(const ReproduceOptions& options) {
  Reproduction result{
      "jalon-bayo", "table-5.1", "Table 5.1: penalties and iterations of the augmented Lagrangian method", {}, {},
      {},           {}};
  const auto model = shipped_model("double-pendulum");
  const double duration = 10;
  std::vector<double> tolerances = {1e-4};
  if (!options.paper_settings) tolerances.push_back(1e-6);
  std::vector<Runs> all;
  for (const double tolerance : tolerances) {
    const auto done = static_cast<double>(all.size()), count = static_cast<double>(tolerances.size());
    all.push_back(measure(model, tolerance, duration, options.fast ? 1 : options.repeats, [&](double fraction) {
      if (options.progress) options.progress((done + fraction) / count, fmt::format("tolerance {:.0e}", tolerance));
    }));
  }
  result.tables.push_back(error_table(all));
  result.tables.push_back(time_table(all.front()));
  for (const Runs& one : all) {
    ReproducedPlot plot{
        fmt::format("Largest constraint error, tolerance {:.0e}", one.tolerance), "penalty", "error", true, true, {}};
    for (int i = 0; i < iteration_count; ++i) {
      plot.curves.push_back(curve_of(fmt::format("{} iterations", i), one.errors, i, false));
      plot.curves.push_back(curve_of(fmt::format("{} iterations, book", i), printed_errors, i, true));
    }
    result.plots.push_back(plot);
  }

  std::vector<std::vector<Claim>> at_tolerance;
  for (const Runs& one : all) at_tolerance.push_back(claims_on_errors(one));
  for (std::size_t k = 0; k < at_tolerance.front().size(); ++k) {
    for (const std::vector<Claim>& claims : at_tolerance) result.claims.push_back(claims[k]);
    const Claim &of_book = at_tolerance.front()[k], &tight = at_tolerance.back()[k];
    if (of_book.confirmed != tight.confirmed) {
      result.differences.push_back(
          fmt::format("The verdict flips with the tolerance: \"{}\" is {} at the book's 1e-4 and {} at 1e-6, where our "
                      "errors are as "
                      "small as those that the book prints.",
                      statement_of(k), verdict_of(of_book), verdict_of(tight)));
    }
  }
  const double dearer = median_ratio(all.front().seconds, 1), book_dearer = median_ratio(printed_seconds, 1);
  result.claims.push_back({.text = "it does so at practically no additional cost (up to 20 % more CPU)",
                           .confirmed = dearer < 1.2,
                           .measured = fmt::format("median {:+.0f} % CPU with one iteration (book: {:+.0f} %)",
                                                   100 * (dearer - 1), 100 * (book_dearer - 1)),
                           .of_times = true});
  const double huge = all.front().seconds[5][0] / all.front().seconds[3][0];
  result.claims.push_back({.text = "a penalty of 1e11 suffers from round-off: dearer (book: 1.5 times 1e7)",
                           .confirmed = huge > 1.2,
                           .measured = fmt::format("1e11 takes {:.2f} times the CPU of 1e7", huge),
                           .of_times = true});

  result.differences.push_back(
      "The book gives neither the start nor the duration, nor whether the masses are in points: two uniform rods "
      "start at rest at -60 deg from the x axis, for 10 s. With other starts the first row, which is the largest "
      "reaction over penalty Omega^2, changes.");
  if (!options.paper_settings)
    result.differences.push_back(
        "At the book's tolerance of 1e-4 our BDF leaves errors of a few 1e-4 in the constraints; those that the book "
        "prints, 6e-06, belong to 1e-6 here. DGEAR probably weights its tolerance differently. Verdicts on errors are "
        "given at both, on times at 1e-4; with the paper's settings both are at 1e-4.");
  result.differences.push_back(
      "The iteration adds corrections from the residual of the full equation instead of solving (5.51) literally: it "
      "reaches round-off for every penalty, where (5.51) keeps an error of about 1e-16 times the penalty. This is "
      "probably why 1e11 is no worse here.");
  result.differences.push_back("CPU times are of a present computer, the book's of one that it does not name.");
  if (options.fast) result.differences.push_back("Fast: one round of timing.");
  return result;
}

}  // namespace

namespace paper_list {

Paper jalon_bayo() {
  return {
      "jalon-bayo",
      "J. Garcia de Jalon, E. Bayo: Kinematic and Dynamic Simulation of Multibody Systems: The Real-Time Challenge. "
      "Springer 1994, chapter 5",
      {{"table-5.1", "Table 5.1: penalties and iterations of the augmented Lagrangian method", table_5_1},
       {"section-5.1.3", "Section 5.1.3: no stabilisation, Baumgarte's and a DAE integrator", jalon_bayo_stabilization},
       {"section-5.2.4", "Section 5.2.4: penalties and independent coordinates", jalon_bayo_penalty},
       {"section-5.4", "Section 5.4: canonical equations beside accelerations", jalon_bayo_canonical}}};
}

}  // namespace paper_list
}  // namespace bricard

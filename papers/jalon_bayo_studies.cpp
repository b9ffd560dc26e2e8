#include "papers/jalon_bayo_studies.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bricard/compare.h"
#include "papers/algebra_cost.h"
#include "papers/shipped_models.h"

namespace bricard {
namespace {

constexpr double lost = 0.3;  // rad, or parts of the model's length: another motion

/// A formulation with what goes with it.
struct Way {
  const char* name;
  const char* formulation;
  const char* stabilization;
  const char* integrator;
  double penalty = unset;  // absolute
};

/// Its run of a model: rescue is off, so that what happens is the method's own doing.
ComparedRun run_of(const Way& way, const std::shared_ptr<const Model>& model, const Method& common, int rounds,
                   const MemorySink& reference) {
  CompareOptions options;
  options.formulations = {way.formulation};
  options.stabilizations = {way.stabilization};
  options.integrators = {way.integrator};
  options.dynamics = {"whole"};
  options.common = common, options.common.rescue = "off";
  if (way.penalty > 0) options.common.penalty = way.penalty, options.common.penalty_kind = "absolute";
  if (way.integrator == std::string("rk4")) options.common.step = 1e-3;
  options.repeats = rounds, options.reference = &reference;
  return compare(model, options).runs.front();
}

MemorySink reference_of(const std::shared_ptr<const Model>& model, const Method& common) {
  Method method;
  method.tolerance = 1e-12, method.duration = common.duration, method.output_step = common.output_step;
  return simulate(model, method).data;
}

std::string outcome(const ComparedRun& run) {
  if (!run.ran()) return "refused";
  if (!run.summary.ok()) return fmt::format("stops at {:.2f} s", run.summary.time);
  return run.error < lost ? "right" : "lost";
}

bool is_right(const ComparedRun& run) { return run.completed() && run.error < lost; }

/// "right, error 1.0e-03", "stops at 0.12 s".
std::string described(const ComparedRun& run) {
  return run.completed() ? fmt::format("{}, error {}", outcome(run), small(run.error)) : outcome(run);
}

std::string error_of(const ComparedRun& run) { return run.completed() ? small(run.error) : "-"; }

Method common_of(double tolerance, double duration, const char* coordinates) {
  Method method;
  method.coordinates = coordinates;
  method.tolerance = tolerance, method.duration = duration, method.output_step = duration / 100;
  return method;
}

const std::vector<std::string> run_header = {"method",  "result",          "evaluations",
                                             "CPU, ms", "error, m or rad", "largest |Phi|"};

std::vector<std::string> row_of(const std::string& name, const ComparedRun& run) {
  return {name,
          outcome(run),
          run.ran() ? std::to_string(run.summary.evaluations) : "-",
          run.completed() ? fmt::format("{:.2f}", 1e3 * run.cpu_seconds) : "-",
          error_of(run),
          run.ran() ? small(run.summary.constraint_position_max) : "-"};
}

ReproducedPlot violation_plot(const std::string& title, const std::vector<std::pair<std::string, ComparedRun>>& runs) {
  ReproducedPlot plot{title, "time, s", "norm of Phi", false, true, {}};
  for (const auto& [name, run] : runs) {
    ReproducedPlot::Curve curve{name, {}, {}};
    for (std::size_t k = 0; k < run.times.size(); ++k) {
      if (run.position[k] > 0) curve.x.push_back(run.times[k]), curve.y.push_back(run.position[k]);
    }
    if (!curve.x.empty()) plot.curves.push_back(std::move(curve));
  }
  return plot;
}

double microseconds(const ComparedRun& run) {
  return 1e6 * run.cpu_seconds / static_cast<double>(run.summary.evaluations);
}

}  // namespace

// --- 5.1.3: Nikravesh 1984, as the book reports it ---

Reproduction jalon_bayo_stabilization(const ReproduceOptions& options) {
  Reproduction result{"jalon-bayo",
                      "section-5.1.3",
                      "Section 5.1.3: no stabilisation, Baumgarte's and a DAE integrator",
                      {},
                      {},
                      {},
                      {}};
  constexpr double tolerance = 1e-4, duration = 10;
  const Way ways[] = {{"(5.10), none", "lagrange", "none", "adams"},
                      {"(5.10), Baumgarte", "lagrange", "baumgarte", "adams"},
                      {"DAE, IDA", "lagrange", "none", "ida"}};
  std::vector<std::string> names = {"pendulum", "double-pendulum", "four-bar", "mcpherson"};
  ReproducedTable table{
      fmt::format("{:g} s at tolerance {:.0e}, gains 10", duration, tolerance), run_header, {}, {}, {"CPU, ms"}};
  std::vector<double> ratios, growth;
  int unacceptable = 0, solved = 0, solved_by_dae = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto model = shipped_model(names[k]);
    const Method common = common_of(tolerance, duration, "reference-point");
    const MemorySink reference = reference_of(model, common);
    std::vector<std::pair<std::string, ComparedRun>> runs;
    for (const Way& way : ways) {
      runs.emplace_back(way.name, run_of(way, model, common, options.fast ? 1 : options.repeats, reference));
      table.rows.push_back(row_of(names[k] + ", " + way.name, runs.back().second));
    }
    const ComparedRun &none = runs[0].second, &baumgarte = runs[1].second, &dae = runs[2].second;
    if (baumgarte.completed() && dae.completed()) ratios.push_back(dae.cpu_seconds / baumgarte.cpu_seconds);
    if (none.ran() && baumgarte.ran())
      growth.push_back(none.summary.constraint_position_max / baumgarte.summary.constraint_position_max);
    unacceptable += none.ran() && none.summary.constraint_position_max > 1e-2 * model->characteristic_length();
    solved += is_right(baumgarte), solved_by_dae += is_right(dae);
    result.plots.push_back(violation_plot(names[k], runs));
    if (options.progress) options.progress(static_cast<double>(k + 1) / static_cast<double>(names.size()), names[k]);
  }
  result.tables.push_back(table);
  const auto count = static_cast<int>(names.size());
  if (!ratios.empty()) {
    std::sort(ratios.begin(), ratios.end());
    result.claims.push_back(
        {.text = "Baumgarte's stabilisation is twice as efficient as integrating the mixed system (1.5 times at least, "
                 "on each mechanism)",
         .confirmed = ratios.front() > 1.5,
         .measured =
             fmt::format("the DAE integrator takes {:.2g} to {:.2g} times the CPU", ratios.front(), ratios.back()),
         .of_times = true});
  }
  result.claims.push_back(
      {"though it does not solve all problems satisfactorily", solved < count,
       fmt::format("{} of {} are right, {} of {} by the DAE integrator", solved, count, solved_by_dae, count)});
  const auto [least, most] = std::minmax_element(growth.begin(), growth.end());
  result.claims.push_back(
      {"direct integration of (5.10) gives unacceptable results (joints open by more than 1 % of the size)",
       unacceptable == count,
       fmt::format("{} of {}; they open {:.0f} to {:.0f} times as far as with Baumgarte", unacceptable, count, *least,
                   *most)});
  result.differences.push_back(
      "The book reports Nikravesh's conclusions of 1984 without his problems or numbers. These are four mechanisms "
      "that "
      "Bricard comes with; integrators are CVODE's Adams-Moulton and IDA (index 2 in the form of Gear, Gupta and "
      "Leimkuhler) in place of DE and of his.");
  if (options.fast) result.differences.push_back("Fast: one round of timing.");
  return result;
}

// --- 5.2.4: penalties beside independent coordinates ---

Reproduction jalon_bayo_penalty(const ReproduceOptions& options) {
  Reproduction result{
      "jalon-bayo", "section-5.2.4", "Section 5.2.4: penalties and independent coordinates", {}, {}, {}, {}};
  const auto model = shipped_model("slider-crank");
  const double duration = 5;
  const Method common = common_of(1e-6, duration, "natural");
  const MemorySink reference = reference_of(model, common);
  const Way ways[] = {{"multipliers (5.10)", "lagrange", "none", "dopri5"},
                      {"multipliers with Baumgarte (5.26)", "lagrange", "baumgarte", "dopri5"},
                      {"independent coordinates (5.55)", "independent", "none", "dopri5"},
                      {"extended, Algorithms 5-4, 5-5", "independent-extended", "none", "dopri5"},
                      {"penalty 1e3 (5.37), Algorithm 5-3", "penalty", "none", "dopri5", 1e3},
                      {"penalty 1e5", "penalty", "none", "dopri5", 1e5},
                      {"penalty 1e7", "penalty", "none", "dopri5", 1e7},
                      {"penalty 1e7, steps of 1 ms", "penalty", "none", "rk4", 1e7},
                      {"augmented Lagrangian (5.48), 1e7", "augmented-lagrangian", "none", "dopri5", 1e7}};
  ReproducedTable table{
      fmt::format("A slider-crank with equal lengths through 11 singular positions, {:g} s at 1e-6", duration),
      run_header,
      {},
      {},
      {"CPU, ms"}};
  std::vector<std::pair<std::string, ComparedRun>> runs;
  for (const Way& way : ways) {
    runs.emplace_back(way.name, run_of(way, model, common, options.fast ? 1 : options.repeats, reference));
    table.rows.push_back(row_of(way.name, runs.back().second));
    if (options.progress) options.progress(0.1 * static_cast<double>(runs.size()), way.name);
  }
  table.note = "Rescue is off. Natural coordinates, Dormand-Prince 5(4), no stabilisation but where it is named.";
  result.tables.push_back(table);
  result.plots.push_back(violation_plot("Constraint errors through singular positions", runs));
  const ComparedRun &multipliers = runs[0].second, &baumgarte = runs[1].second, &independent = runs[2].second,
                    &extended = runs[3].second;
  int passed = 0;
  std::string of_penalties;
  for (std::size_t k = 4; k < runs.size(); ++k) {
    passed += is_right(runs[k].second);
    of_penalties += fmt::format("{}{}: {}", k == 4 ? "" : "; ", runs[k].first, described(runs[k].second));
  }
  result.claims.push_back(
      {"the penalty formulation goes through singular positions without problems (all runs are right)",
       passed == static_cast<int>(runs.size()) - 4, of_penalties});
  result.claims.push_back({"Lagrange's method with Baumgarte's stabilisation does not", !is_right(baumgarte),
                           fmt::format("{}, largest |Phi| {:.1e}; without: {}", described(baumgarte),
                                       baumgarte.summary.constraint_position_max, described(multipliers))});
  result.claims.push_back(
      {"independent coordinates crash there or make sudden large errors, unless special provisions are made",
       !is_right(independent) && !is_right(extended),
       fmt::format("(z, z'): {}; (q, z'): {}; {} and {} changes of coordinates", described(independent),
                   described(extended), independent.summary.renewals, extended.summary.renewals)});

  // Algorithm 5-3 beside the formation of R and R^T M R, in ever larger systems.
  const std::vector<std::string> formulations = {"penalty", "projection-r", "nullspace-qr"};
  ReproducedTable costs{"One solution of the equations", {"coordinates", "constraints"}, {}};
  for (const std::string& name : formulations) {
    costs.header.push_back(name + ", ms");
    costs.timed.push_back(costs.header.back());
  }
  std::vector<double> ratios;
  const std::vector<int> sizes = options.fast ? std::vector<int>{2, 20} : std::vector<int>{2, 20, 80};
  for (const int rods : sizes) {
    const AlgebraCosts cost =
        algebra_costs(chain_of(rods), "natural", formulations, options.fast ? 1 : options.repeats);
    std::vector<std::string> row = {std::to_string(cost.coordinates), std::to_string(cost.constraints)};
    for (const double seconds : cost.seconds) row.push_back(fmt::format("{:.4g}", 1e3 * seconds));
    costs.rows.push_back(row);
    ratios.push_back(cost.seconds[1] / cost.seconds[0]);
  }
  costs.note = "Hanging chains in natural coordinates; penalty is sparse above 60 coordinates, the others are dense.";
  result.tables.push_back(costs);
  std::string measured = "forming R and R^T M R takes";
  for (std::size_t k = 0; k < ratios.size(); ++k) measured += fmt::format("{} {:.2g}", k == 0 ? "" : ",", ratios[k]);
  result.claims.push_back({.text = "the penalty formulation tends to be more efficient than independent coordinates "
                                   "(a solution is cheaper at every size)",
                           .confirmed = *std::min_element(ratios.begin(), ratios.end()) > 1,
                           .measured = measured + " times as long",
                           .of_times = true});
  result.differences.push_back(
      "The book makes these remarks without numbers. The mechanism is that of its problem 5/2 with masses, force and "
      "start completed. Our independent coordinates have the special provision of being chosen anew when their pivots "
      "fall: that is why they pass. Rescue, which Bricard has for singular positions, is off throughout.");
  if (options.fast) result.differences.push_back("Fast: two sizes, one round of timing.");
  return result;
}

// --- 5.4: momenta beside accelerations ---

Reproduction jalon_bayo_canonical(const ReproduceOptions& options) {
  Reproduction result{
      "jalon-bayo", "section-5.4", "Section 5.4: canonical equations beside accelerations", {}, {}, {}, {}};
  const int rounds = options.fast ? 1 : options.repeats;
  constexpr double tolerance = 1e-6, duration = 10;
  const Way ways[] = {{"accelerations (5.10)", "lagrange", "none", "dopri5"},
                      {"momenta (5.97), (5.98)", "canonical-lagrange", "none", "dopri5"},
                      {"accelerations, augmented (5.48)", "augmented-lagrangian", "none", "dopri5"},
                      {"momenta, augmented, Algorithm 5-8", "canonical-augmented", "none", "dopri5"}};
  ReproducedTable table{fmt::format("{:g} s at tolerance {:.0e}, natural coordinates", duration, tolerance),
                        run_header,
                        {},
                        {},
                        {"CPU, ms"}};
  std::vector<double> cpu, augmented_cpu, violation, augmented_violation;
  const std::vector<std::string> names = {"double-pendulum", "four-bar"};
  for (const std::string& name : names) {
    const auto model = shipped_model(name);
    const Method common = common_of(tolerance, duration, "natural");
    const MemorySink reference = reference_of(model, common);
    std::vector<std::pair<std::string, ComparedRun>> runs;
    for (const Way& way : ways) {
      runs.emplace_back(way.name, run_of(way, model, common, rounds, reference));
      table.rows.push_back(row_of(name + ", " + way.name, runs.back().second));
    }
    const auto ratio = [&](int a, int b, auto measure) {
      return measure(runs[static_cast<std::size_t>(a)].second) / measure(runs[static_cast<std::size_t>(b)].second);
    };
    const auto seconds = [](const ComparedRun& run) { return run.cpu_seconds; };
    const auto largest = [](const ComparedRun& run) { return run.summary.constraint_position_max; };
    cpu.push_back(ratio(1, 0, seconds)), violation.push_back(ratio(1, 0, largest));
    augmented_cpu.push_back(ratio(3, 2, microseconds)), augmented_violation.push_back(ratio(3, 2, largest));
    result.plots.push_back(violation_plot(name, runs));
    if (options.progress) options.progress(0.25 * static_cast<double>(cpu.size()), name);
  }
  result.tables.push_back(table);

  // Repetitive singular positions.
  const auto model = shipped_model("slider-crank");
  const double longer = options.fast ? 5 : 20;
  ReproducedTable singular{fmt::format("A slider-crank with equal lengths through singular positions, {:g} s", longer),
                           run_header,
                           {},
                           {},
                           {"CPU, ms"}};
  const Method common = common_of(tolerance, longer, "natural");
  const MemorySink reference = reference_of(model, common);
  std::vector<std::pair<std::string, ComparedRun>> crossings;
  for (const Way& way : ways) {
    crossings.emplace_back(way.name, run_of(way, model, common, rounds, reference));
    singular.rows.push_back(row_of(way.name, crossings.back().second));
  }
  result.tables.push_back(singular);
  result.plots.push_back(violation_plot("Through singular positions", crossings));

  const auto range = [](const std::vector<double>& ratios) {
    return fmt::format("{:.2g} and {:.2g}", *std::min_element(ratios.begin(), ratios.end()),
                       *std::max_element(ratios.begin(), ratios.end()));
  };
  const auto all_below = [](const std::vector<double>& ratios, double bound) {
    return *std::max_element(ratios.begin(), ratios.end()) < bound;
  };
  result.claims.push_back(
      {.text = "canonical equations with multipliers are more efficient than accelerations (less CPU)",
       .confirmed = all_below(cpu, 1),
       .measured = range(cpu) + " times the CPU",
       .of_times = true});
  result.claims.push_back(
      {"and violate the constraints less, which are differentiated once instead of twice (to a half "
       "at most)",
       all_below(violation, 0.5), range(violation) + " times the largest |Phi|"});
  result.claims.push_back({.text =
                               "the canonical augmented Lagrangian is as efficient as Algorithm 5-3 (within a quarter, "
                               "by evaluation)",
                           .confirmed = all_below(augmented_cpu, 1.25),
                           .measured = range(augmented_cpu) + " times the CPU of an evaluation",
                           .of_times = true});
  result.claims.push_back({"it violates the constraints less than the augmented Lagrangian of accelerations",
                           all_below(augmented_violation, 1), range(augmented_violation) + " times the largest |Phi|"});
  const ComparedRun &accelerations = crossings[2].second, &momenta = crossings[3].second;
  result.claims.push_back(
      {"and is much more stable under repetitive singular positions (its motion is right where the other's is not, or "
       "ten times as accurate)",
       is_right(momenta) && (!is_right(accelerations) || momenta.error < 0.1 * accelerations.error),
       fmt::format("{}, largest |Phi| {:.1e}; accelerations: {}, {:.1e}", described(momenta),
                   momenta.summary.constraint_position_max, described(accelerations),
                   accelerations.summary.constraint_position_max)});
  result.differences.push_back(
      "The book states this from Lankarani and Nikravesh (1988) and Bayo and Avello (1993), without numbers. "
      "Penalties, "
      "Omega and mu are Bricard's defaults.");
  if (options.fast)
    result.differences.push_back("Fast: one round of timing, 5 s through singular positions instead of 20 s.");
  return result;
}

}  // namespace bricard

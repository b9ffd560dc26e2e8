#include "bricard/compare.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "analyses/choice/choose_dynamics.h"
#include "analyses/run/no_sink.h"
#include "analyses/run/worker_threads.h"
#include "bricard/input_error.h"
#include "formulations/formulation.h"
#include "integrators/integrator.h"
#include "model/method_options.h"
#include "model/nearest_name.h"
#include "pseudoinverses/pseudoinverse.h"
#include "stabilization/stabilization.h"

namespace bricard {
namespace {

/// Formulations that use the chosen pseudoinverse: only for them is there something to vary.
bool uses_pseudoinverse(const std::string& formulation) {
  const FormulationType* type = find_formulation_type(formulation);
  return type && type->traits.pseudoinverse;
}

void require_known(const std::vector<std::string>& asked, std::vector<std::string> known, const char* what) {
  known.emplace_back("auto");
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError(fmt::format("no {} '{}'{}", what, name, suggestion(name, known)));
  }
}

/// A formulation and the engine that it runs by.
struct Entrant {
  std::string formulation, engine;

  /// "lagrange (bodies)" is its name; `whole`, which is the rule, is not said unless there are others.
  std::string name(bool always) const {
    return always || engine != std::string("whole") ? fmt::format("{} ({})", formulation, engine) : formulation;
  }
};

Entrant read_entrant(const std::string& text) {
  const std::size_t open = text.find(" (");
  if (open == std::string::npos || !text.ends_with(")")) return {text, {}};
  return {text.substr(0, open), text.substr(open + 2, text.size() - open - 3)};
}

/// Where none is asked for: the formulation's own algebra, which of some is an engine's.
std::vector<std::string> own_engine(const std::string& formulation) {
  const FormulationType* type = find_formulation_type(formulation);
  return {type && type->state == State::full && !type->create ? type->engine : "whole"};
}

std::vector<Entrant> entrants(const CompareOptions& options) {
  std::vector<Entrant> list;
  const auto add = [&](const std::string& formulation) {
    for (const std::string& engine : options.dynamics.empty() ? own_engine(formulation) : options.dynamics)
      list.push_back({formulation, engine});
  };
  for (const std::string& text : options.formulations) {
    const Entrant entrant = read_entrant(text);
    if (entrant.engine.empty()) {
      add(entrant.formulation);
    } else {
      list.push_back(entrant);
    }
  }
  if (!options.formulations.empty()) return list;
  for (const FormulationType& type : formulation_types()) {
    add(type.name);
    if (options.dynamics.empty() && type.create && type.engine != std::string("whole"))
      list.push_back({type.name, type.engine});
  }
  return list;
}

/// All combinations, in the order of the lists; names hold what varies.
std::vector<ComparedRun> combinations(const CompareOptions& options) {
  const auto listed = [](const std::vector<std::string>& given, const std::vector<std::string>& otherwise) {
    return given.empty() ? otherwise : given;
  };
  const std::vector<std::string> coordinates = listed(options.coordinates, {""}),
                                 pseudoinverses = listed(options.pseudoinverses, {""}),
                                 stabilizations = listed(options.stabilizations, {"none", "baumgarte", "projection"}),
                                 integrators = listed(options.integrators, {""});
  const std::vector<double> tolerances = options.tolerances.empty() ? std::vector<double>{unset} : options.tolerances;
  std::vector<ComparedRun> runs;
  for (const std::string& set : coordinates)
    for (const Entrant& entrant : entrants(options))
      for (const std::string& pseudoinverse : pseudoinverses) {
        const std::string& formulation = entrant.formulation;
        if (!pseudoinverse.empty() && !uses_pseudoinverse(formulation) && pseudoinverse != pseudoinverses.front())
          continue;
        for (const std::string& stabilization : stabilizations)
          for (const std::string& integrator : integrators)
            for (const double tolerance : tolerances) {
              ComparedRun run;
              run.asked = options.common;
              std::vector<std::string> name;
              const auto choose = [&](std::string Method::*field, const std::string& value, bool varies) {
                if (value.empty()) return;
                run.asked.*field = value;
                if (varies) name.push_back(value);
              };
              choose(&Method::coordinates, set, coordinates.size() > 1);
              choose(&Method::formulation, formulation, false);
              choose(&Method::dynamics, entrant.engine, false);
              name.push_back(entrant.name(options.dynamics.size() > 1));
              if (uses_pseudoinverse(formulation))
                choose(&Method::pseudoinverse, pseudoinverse, pseudoinverses.size() > 1);
              choose(&Method::stabilization, stabilization, stabilizations.size() > 1);
              choose(&Method::integrator, integrator, integrators.size() > 1);
              if (!std::isnan(tolerance)) {
                run.asked.tolerance = tolerance;
                if (tolerances.size() > 1) name.push_back(fmt::format("{:g}", tolerance));
              }
              run.name = fmt::format("{}", fmt::join(name, " "));
              if (options.complete) options.complete(run.asked);
              runs.push_back(std::move(run));
            }
      }
  return runs;
}

/// One run with everything that is compared.
void measure(const std::shared_ptr<const Model>& model, const MemorySink& reference, const CompareOptions& options,
             ComparedRun& run) {
  if (options.interrupted && options.interrupted()) {
    run.refusal = "not run: interrupted";
    return;
  }
  MemorySink rows;
  try {
    run.summary = simulate(model, run.asked, rows, {.interrupted = options.interrupted});
  } catch (const InputError& error) {
    run.refusal = error.what();
    return;
  }
  run.cpu_seconds = run.summary.cpu_seconds;
  if (rows.rows.empty()) return;
  run.error = motion_error(*model, rows, reference);
  const int position = rows.index("constraint.position"), energy = rows.index("energy.total");
  for (const auto& row : rows.rows) {
    run.times.push_back(row[0]);
    run.position.push_back(row[position]);
    run.velocity.push_back(row[position + 1]);
    run.acceleration.push_back(row[position + 2]);
    run.energy.push_back(row[energy] - rows.rows.front()[energy]);
    run.constraint_acceleration_max = std::max(run.constraint_acceleration_max, row[position + 2]);
  }
}

/// Keeps this thread on one core while it lives, so that times are of one cache and one clock.
class Pinned {
 public:
  Pinned() {
    known_ = sched_getaffinity(0, sizeof before_, &before_) == 0;
    if (!known_) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~Pinned() {
    if (known_) sched_setaffinity(0, sizeof before_, &before_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
  bool known_ = false;
};

void run_all(const std::shared_ptr<const Model>& model, const MemorySink& reference, const CompareOptions& options,
             std::vector<ComparedRun>& runs) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int count = std::min(options.threads > 0 ? options.threads : cores, static_cast<int>(runs.size()));
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex speaking;
  std::exception_ptr problem;
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < runs.size(); k = next++) {
        measure(model, reference, options, runs[k]);
        const std::lock_guard lock(speaking);
        const double share = options.repeats > 0 ? 1.0 / (1 + options.repeats) : 1;
        if (options.progress)
          options.progress(share * static_cast<double>(++done) / static_cast<double>(runs.size()), runs[k].name);
      }
    } catch (...) {
      const std::lock_guard lock(speaking);
      if (!problem) problem = std::current_exception();
      next = runs.size();
    }
  };
  run_on_threads(count, work);
  if (problem) std::rethrow_exception(problem);
}

void time_all(const std::shared_ptr<const Model>& model, const CompareOptions& options,
              std::vector<ComparedRun>& runs) {
  const Pinned pinned;
  NoSink nothing;
  const auto total = static_cast<double>(1 + options.repeats);
  for (int round = 0; round < options.repeats; ++round) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      ComparedRun& run = runs[k];
      if (!run.completed()) continue;
      const Summary again = simulate(model, run.asked, nothing, {.interrupted = options.interrupted});
      if (again.interrupted) return;
      run.cpu_seconds = round == 0 ? again.cpu_seconds : std::min(run.cpu_seconds, again.cpu_seconds);
      if (options.progress) {
        const double part = static_cast<double>(k + 1) / static_cast<double>(runs.size());
        options.progress((1 + round + part) / total, run.name);
      }
    }
  }
}

/// Time, then place and orientation of every body.
std::vector<std::string> place_columns(const Model& model) {
  std::vector<std::string> columns = {"time"};
  const std::vector<const char*> parts =
      model.planar() ? std::vector{".x", ".y", ".angle"} : std::vector{".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"};
  for (const Body& body : model.bodies) {
    for (const char* part : parts) columns.push_back(body.name + part);
  }
  return columns;
}

}  // namespace

double motion_error(const Model& model, const MemorySink& run, const MemorySink& reference) {
  const double length = model.characteristic_length();
  const int dimensions = model.planar() ? 2 : 3, per_body = model.planar() ? 3 : 7;
  std::vector<int> here, there;
  for (const std::string& column : place_columns(model)) {
    here.push_back(run.index(column));
    there.push_back(reference.index(column));
  }
  const int time_here = here[0], time_there = there[0];
  double error = 0;
  bool compared = false;
  const auto take = [&](double difference) {
    compared = true;
    if (!(difference <= error)) error = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  };
  std::size_t at = 0;
  Vector a(per_body), b(per_body);
  for (const auto& row : run.rows) {
    const double same = 1e-9 * std::max(1.0, std::abs(row[time_here]));
    while (at < reference.rows.size() && reference.rows[at][time_there] < row[time_here] - same) ++at;
    if (at == reference.rows.size()) break;
    const Vector& other = reference.rows[at];
    if (std::abs(other[time_there] - row[time_here]) > same) continue;
    for (std::size_t body = 0; body < model.bodies.size(); ++body) {
      for (int k = 0; k < per_body; ++k) {
        a[k] = row[here[1 + body * per_body + k]];
        b[k] = other[there[1 + body * per_body + k]];
      }
      take((a.head(dimensions) - b.head(dimensions)).norm() / length);
      if (model.planar()) {
        take(std::abs(a[2] - b[2]));
      } else {
        // A rotation and its quaternion's opposite are the same; |p1 -+ p2| = 2 sin(angle / 4).
        const double chord = std::min((a.tail<4>() - b.tail<4>()).norm(), (a.tail<4>() + b.tail<4>()).norm());
        take(4 * std::asin(std::min(1.0, chord / 2)));
      }
    }
  }
  return compared || model.bodies.empty() ? error : std::numeric_limits<double>::infinity();
}

int Comparison::refused() const {
  return static_cast<int>(std::count_if(runs.begin(), runs.end(), [](const ComparedRun& run) { return !run.ran(); }));
}

int Comparison::failed() const {
  return static_cast<int>(
      std::count_if(runs.begin(), runs.end(), [](const ComparedRun& run) { return run.ran() && !run.completed(); }));
}

std::vector<const ComparedRun*> Comparison::ranking() const {
  std::vector<const ComparedRun*> order;
  for (const ComparedRun& run : runs) {
    if (run.completed()) order.push_back(&run);
  }
  if (order.empty()) return order;
  // Errors within a factor of ten of the median are the same accuracy; beyond it, a larger one comes later.
  std::vector<double> errors;
  for (const ComparedRun* run : order) errors.push_back(run->error);
  std::nth_element(errors.begin(), errors.begin() + static_cast<long>(errors.size() / 2), errors.end());
  const double allowed = std::max(10 * errors[errors.size() / 2], 1e-12);
  std::stable_sort(order.begin(), order.end(), [&](const ComparedRun* a, const ComparedRun* b) {
    const bool a_good = a->error <= allowed, b_good = b->error <= allowed;
    if (a_good != b_good) return a_good;
    return a_good ? a->cpu_seconds < b->cpu_seconds : a->error < b->error;
  });
  return order;
}

std::vector<std::string> Comparison::verdict() const {
  std::vector<std::string> sentences;
  const std::vector<const ComparedRun*> order = ranking();
  if (!order.empty()) {
    const ComparedRun& best = *order.front();
    sentences.push_back(fmt::format("{} is best: {:.3g} s of CPU, error {:.1e}, energy drift {:.1e} J", best.name,
                                    best.cpu_seconds, best.error, best.summary.energy_drift));
    const auto exact = *std::min_element(
        order.begin(), order.end(), [](const ComparedRun* a, const ComparedRun* b) { return a->error < b->error; });
    if (exact != &best)
      sentences.push_back(fmt::format("{} is the most accurate: error {:.1e} for {:.3g} s of CPU", exact->name,
                                      exact->error, exact->cpu_seconds));
  }
  if (failed() > 0) {
    std::vector<std::string> names;
    for (const ComparedRun& run : runs) {
      if (run.ran() && !run.completed()) names.push_back(run.name);
    }
    sentences.push_back(fmt::format("{} of {} did not reach the end: {}", failed(),
                                    static_cast<int>(runs.size()) - refused(), fmt::join(names, ", ")));
  }
  if (interrupted) sentences.push_back("interrupted: combinations that had not begun are marked so in the table");
  if (refused() > 0 && !interrupted)
    sentences.push_back(fmt::format("{} combination{} not fit this model; the table says why", refused(),
                                    refused() == 1 ? " does" : "s do"));
  return sentences;
}

Comparison compare(const std::shared_ptr<const Model>& model, const CompareOptions& options) {
  require_known(options.coordinates, names_of(coordinates_types()), "coordinate set");
  std::vector<std::string> formulations, engines;
  for (const Entrant& entrant : entrants(options)) {
    formulations.push_back(entrant.formulation);
    engines.push_back(entrant.engine);
  }
  require_known(formulations, names_of(formulation_types()), "formulation");
  require_known(engines, names_of(dynamics_types()), "dynamics");
  require_known(options.pseudoinverses, names_of(pseudoinverse_types()), "pseudoinverse");
  require_known(options.stabilizations, names_of(stabilization_types()), "stabilization");
  require_known(options.integrators, names_of(integrator_types()), "integrator");
  for (const double tolerance : options.tolerances) {
    if (!(tolerance > 0 && std::isfinite(tolerance)))
      throw InputError(fmt::format("a tolerance must be a positive number, not {}", tolerance));
  }

  Comparison result;
  result.model = model->name;
  result.runs = combinations(options);
  MemorySink own_reference;
  if (!options.reference) {
    Method method = options.common;
    Method defaults = model->simulation;
    double tightest = std::isnan(method.tolerance) ? defaults.tolerance : method.tolerance;
    if (std::isnan(tightest)) tightest = method_defaults().tolerance;
    for (const double tolerance : options.tolerances) tightest = std::min(tightest, tolerance);
    method.tolerance = options.reference_tolerance > 0 ? options.reference_tolerance : std::max(1e-13, 1e-2 * tightest);
    method.formulation = "auto", method.stabilization = "auto", method.integrator = "auto", method.dynamics = "auto";
    method.step = unset;
    // What a model gives for other formulations, stabilisations or integrators than the reference may take.
    method.row_gains = "none", method.gains = "fixed", method.canonical_form = "auto", method.state = "auto";
    method.greville = "all", method.threshold_kind = "relative", method.threshold_fixed = false;
    method.carry_history = false, method.projection_basis = "qr", method.renewal = "pivots";
    result.reference = simulate(model, method, own_reference, {.interrupted = options.interrupted});
    const Method& chosen = result.reference.chosen.method;
    result.reference_name = fmt::format("{} {} {} at {:.0e}", Entrant{chosen.formulation, chosen.dynamics}.name(false),
                                        chosen.stabilization, chosen.integrator, method.tolerance);
    if (!result.reference.ok())
      result.reference_name +=
          fmt::format(" (stopped at {:.4g} s: errors are those up to there)", result.reference.time);
  } else {
    result.reference_name = "given rows";
  }
  const MemorySink& reference = options.reference ? *options.reference : own_reference;
  for (const std::string& column : place_columns(*model)) {
    if (std::find(reference.columns.begin(), reference.columns.end(), column) == reference.columns.end())
      throw InputError(fmt::format("the reference has no column '{}'", column));
  }
  run_all(model, reference, options, result.runs);
  if (options.repeats > 0) time_all(model, options, result.runs);
  result.interrupted = options.interrupted && options.interrupted();
  return result;
}

}  // namespace bricard

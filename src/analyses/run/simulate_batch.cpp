#include "bricard/simulate_batch.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>

#include "analyses/run/own_units.h"
#include "analyses/run/pack_run.h"
#include "analyses/run/stepped_run.h"
#include "analyses/run/worker_threads.h"
#include "bricard/input_error.h"
#include "bricard/model.h"
#include "linear/blas_threads.h"
#include "linear/simd/pack.h"
#include "model/method_options.h"

namespace bricard {
namespace {

bool same_structure(const Model& a, const Model& b) {
  return a.dimension == b.dimension && a.bodies.size() == b.bodies.size() && a.forces.size() == b.forces.size() &&
         a.motions.size() == b.motions.size() &&
         std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(), b.joints.end(),
                    [](const Joint& x, const Joint& y) { return x.type == y.type && x.i == y.i && x.j == y.j; });
}

/// Runs first to last - 1.
struct Task {
  std::size_t first, last;
};

std::vector<Task> divide(const std::vector<std::shared_ptr<const Model>>& models, bool lanes) {
  std::vector<Task> tasks;
  for (std::size_t k = 0; k < models.size(); ++k) {
    const bool joins = lanes && !tasks.empty() && k - tasks.back().first < Pack::lanes &&
                       same_structure(*models[tasks.back().first], *models[k]);
    if (!joins) tasks.push_back({k, k});
    tasks.back().last = k + 1;
  }
  return tasks;
}

class Batch {
 public:
  Batch(const std::vector<std::shared_ptr<const Model>>& models, const Method& method, const BatchOptions& options)
      : models_(models), method_(method), options_(options), results_(models.size()) {}

  void run(const Task& task) {
    if (options_.interrupted && options_.interrupted()) {
      for (std::size_t k = task.first; k < task.last; ++k) {
        results_[k].summary.interrupted = true;
        results_[k].summary.failure = "Not run: interrupted.";
      }
      return;
    }
    if (task.last - task.first == 1) return run_alone(task.first);
    std::vector<PreparedRun> prepared;
    std::vector<std::size_t> members;
    for (std::size_t k = task.first; k < task.last; ++k) {
      try {
        const bool leads = k == task.first;
        // Where the first has no lanes, the others, of its structure, have none.
        if ((!leads && prepared.empty()) || !own_units(*models_[k], method_of(k)).are_si()) {
          run_alone(k);
          continue;
        }
        PreparedRun run =
            leads ? prepare_run(models_[k], method_of(k)) : prepare_like(prepared.front(), models_[k], method_of(k));
        if (lanes_misfit(run).empty() && (leads || fit_together(prepared.front(), run))) {
          prepared.push_back(std::move(run));
          members.push_back(k);
          continue;
        }
        if (leads) {
          run_prepared(k, run);
          continue;
        }
      } catch (const InputError&) {
        // The run by itself says so.
      }
      run_alone(k);
    }
    if (members.size() > 1) {
      std::vector<SimulationResult> found = run_in_lanes(std::move(prepared), options_.interrupted);
      for (std::size_t l = 0; l < found.size(); ++l) results_[members[l]] = std::move(found[l]);
      if (!found.empty()) return;
    }
    for (std::size_t member : members) run_alone(member);
  }

  std::vector<SimulationResult> results() { return std::move(results_); }

 private:
  Method method_of(std::size_t k) const {
    Method method = method_;
    if (!options_.last_rows_only) return method;
    method.complete_from(models_[k]->simulation);
    if (std::isnan(method.duration)) method.duration = method_defaults().duration;
    method.output_step = method.duration;
    return method;
  }

  void run_alone(std::size_t k) {
    SimulationResult& result = results_[k];
    try {
      result.summary = simulate(models_[k], method_of(k), result.data, {.interrupted = options_.interrupted});
    } catch (const InputError& error) {
      result.summary.failure = error.what();
    }
  }

  void run_prepared(std::size_t k, PreparedRun& prepared) {
    SimulationResult& result = results_[k];
    const SimulationOptions options{.interrupted = options_.interrupted};
    const std::unique_ptr<SteppedRun> run = create_run(prepared, result.data, options);
    constexpr double endless = std::numeric_limits<double>::infinity();
    for (bool going = run->begin(); going && !run->is_over();) going = run->step(endless);
    result.summary = run->finish();
  }

  const std::vector<std::shared_ptr<const Model>>& models_;
  const Method& method_;
  const BatchOptions& options_;
  std::vector<SimulationResult> results_;
};

}  // namespace

std::vector<SimulationResult> simulate_batch(const std::vector<std::shared_ptr<const Model>>& models,
                                             const Method& method, const BatchOptions& options) {
  use_one_blas_thread();
  const std::vector<Task> tasks = divide(models, options.lanes);
  Batch batch(models, method, options);
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0;
  std::mutex guard;
  std::exception_ptr problem;
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < tasks.size(); k = next++) {
        batch.run(tasks[k]);
        const std::lock_guard lock(guard);
        done += tasks[k].last - tasks[k].first;
        if (options.progress) options.progress(static_cast<double>(done) / static_cast<double>(models.size()));
      }
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!problem) problem = std::current_exception();
      next = tasks.size();
    }
  };
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int count = std::min(options.threads > 0 ? options.threads : cores, static_cast<int>(tasks.size()));
  run_on_threads(count, work);
  if (problem) std::rethrow_exception(problem);
  return batch.results();
}

}  // namespace bricard

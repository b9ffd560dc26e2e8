// The same model by many methods: cost, accuracy and faithfulness of each, measured alike.
//   1. A reference run: the automatic method at the tightest tolerance, or given rows.
//   2. Every combination once, on all cores: counts, drift, error against the reference, failures and refusals.
//   3. CPU times: combinations that completed, one at a time on one core, in rounds (every combination once, then all
//      again), so that noise of the machine hits all alike; the smallest time of each counts.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bricard/simulate.h"

namespace bricard {

struct CompareOptions {
  // What is varied; an empty list takes the default: all formulations that can be created with each of none, baumgarte
  // and projection, the model's (or the automatic) choice of the rest.
  // A formulation may have its engine beside it, "lagrange (bodies)".
  std::vector<std::string> coordinates = {}, formulations = {}, pseudoinverses = {}, stabilizations = {},
                           integrators = {};
  // Engines of formulations that do not name theirs, see analyses/choice/choose_dynamics.h. By default each runs its
  // own class
  // (`whole`), so that like is compared with like, and among all formulations the faster engines have rows of their
  // own.
  std::vector<std::string> dynamics = {};
  std::vector<double> tolerances = {};
  Method common = {};                          // duration, output step, gains and the like
  std::function<void(Method&)> complete = {};  // what follows from a combination; may be empty
  int repeats = 3;                             // rounds of timing; 0: the time of the first run
  int threads = 0;                             // 0: all cores
  double reference_tolerance = 0;              // 0: a hundredth of the tightest one, at least 1e-13
  const MemorySink* reference = nullptr;
  std::function<void(double fraction, const std::string& what)> progress = {};
  std::function<bool()> interrupted = {};  // asked by all threads: true ends all runs; may be empty
};

struct ComparedRun {
  Method asked;
  std::string name;     // the choices that vary, joined
  std::string refusal;  // why the combination does not exist; empty: it ran
  Summary summary;
  double cpu_seconds = 0;  // smallest
  double error = 0;        // against the reference, see below
  double constraint_acceleration_max = 0;
  std::vector<double> times, position, velocity, acceleration, energy;  // constraint norms, energy change by output

  bool ran() const { return refusal.empty(); }
  bool completed() const { return ran() && summary.ok(); }
};

struct Comparison {
  std::string model;
  std::vector<ComparedRun> runs;
  Summary reference;
  std::string reference_name;
  bool interrupted = false;  // runs that had not begun are refused for that reason, and times are of the first runs
  int refused() const;
  int failed() const;
  /// Runs that completed, best first: within the accuracy of most, the cheapest.
  std::vector<const ComparedRun*> ranking() const;
  /// One sentence on the best, and one on what failed.
  std::vector<std::string> verdict() const;
};

/// Throws InputError for names that do not exist.
Comparison compare(const std::shared_ptr<const Model>& model, const CompareOptions& options = {});

/// Largest difference of the bodies' places between rows at equal times: distance of the centres of mass over the
/// model's characteristic length, or angle in rad. Infinite if no times are equal or numbers are missing.
double motion_error(const Model& model, const MemorySink& run, const MemorySink& reference);

}  // namespace bricard

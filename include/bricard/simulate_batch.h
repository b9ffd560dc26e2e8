// Many runs of one structure: parameter studies. Runs go on in threads, and consecutive ones of the same structure four
// at a time in the lanes of vector registers (see PackMotion), with common steps that meet every lane's tolerance.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bricard/simulate.h"

namespace bricard {

struct BatchOptions {
  int threads = 0;                                     // 0: all cores
  bool lanes = true;                                   // false: every run by itself
  bool last_rows_only = false;                         // rows at the start and at each run's own end, none between
  std::function<void(double fraction)> progress = {};  // called after runs, by one thread at a time; may be empty
  std::function<bool()> interrupted = {};              // asked by all threads: true ends all runs; may be empty
};

/// In the order of the models, each as simulate() would give it within the tolerance. A run that fails or whose model
/// is refused says why in its summary and leaves the others alone. Models with forces, motions, friction or redundant
/// constraints, and other methods than `lagrange` in reference-point coordinates by an explicit integrator, have no
/// lanes: they run by themselves. Counts of runs in lanes are those of their common steps; CPU time is shared out.
/// The results do not depend on the number of threads. What `method` leaves open is each model's own. Runs that an
/// interruption kept from starting have no columns.
std::vector<SimulationResult> simulate_batch(const std::vector<std::shared_ptr<const Model>>& models,
                                             const Method& method = {}, const BatchOptions& options = {});

}  // namespace bricard

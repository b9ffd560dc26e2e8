// What a run has cost, for its summary.
#pragma once

#include "analyses/run/cpu_clock.h"
#include "bricard/simulate.h"
#include "integrators/integrator.h"

namespace bricard {

/// Of an integrator that is not used any more, or at the end.
inline void add_counts(const IntegratorCounts& counts, Summary& summary) {
  summary.steps += counts.steps;
  summary.rejected += counts.rejected;
  summary.restarts += counts.restarts;
  summary.evaluations += counts.evaluations;
  summary.newton_iterations += counts.newton_iterations;
}

class RunStatistics {
 public:
  void begin() { started_ = cpu_seconds(); }
  /// Of the derivative, beside those that the integrator counts.
  void count_evaluation() { ++evaluations_; }
  /// Adds all evaluations and steps to a summary, which has those of integrators that were replaced.
  void add_to(Summary& summary, const Integrator& integrator) const {
    add_counts(integrator.counts(), summary);
    summary.evaluations += evaluations_;
  }
  double seconds() const { return cpu_seconds() - started_; }
  /// Tried so far.
  static long steps(const Summary& summary, const Integrator& integrator) {
    const IntegratorCounts counts = integrator.counts();
    return summary.steps + summary.rejected + counts.steps + counts.rejected;
  }

 private:
  double started_ = 0;
  long evaluations_ = 0;
};

}  // namespace bricard

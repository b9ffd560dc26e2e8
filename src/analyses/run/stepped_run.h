// A run in single steps: what simulate() does at once, and a Stepper one by one.
#pragma once

#include <memory>
#include <vector>

#include "analyses/run/prepare_run.h"

namespace bricard {

/// Where a run has come to, independent of its coordinates and integrator: enough to begin anew there.
struct RunState {
  struct Turn {
    int joint, coordinate;
    double value, rate;  // over full turns
  };
  double time = 0;
  std::vector<BodyState> bodies;
  std::vector<Turn> turns;
  Vector friction;  // internal states
  double work = 0;
  double energy_start = 0, potential_start = 0, balance = 0;  // J, see Run
  long next_row = 1;
  Summary summary;  // so far
};

class SteppedRun {
 public:
  virtual ~SteppedRun() = default;
  /// The first row. False here and below: the run has failed, and the summary says why.
  virtual bool begin() = 0;
  virtual double time() const = 0;
  virtual bool is_over() const = 0;
  /// One step of the integrator, no further than `until`; or back, for another attempt.
  virtual bool step(double until) = 0;
  /// All columns at the present time.
  virtual bool observe_row(Vector& row) = 0;
  virtual std::vector<std::string> columns() const = 0;
  virtual RunState state() = 0;
  /// Ends the run.
  virtual Summary finish() = 0;
};

/// All references must outlive the run. `from`: begins there instead of at the start; may be null.
std::unique_ptr<SteppedRun> create_run(PreparedRun& prepared, Sink& sink, const SimulationOptions& options,
                                       const RunState* from = nullptr);

}  // namespace bricard

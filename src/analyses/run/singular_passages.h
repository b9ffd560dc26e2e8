// When a run passes singular positions or comes near them: the minima of `singularity` (see RunDiagnostics) over time,
// which falls to zero and rises again like |t - t*|, mostly between two steps. Each step end gives the value s and, by
// a difference along the motion, its rate; where the rate turns from falling to rising within a step, tangents from
// both sides meet near the minimum, and the states within the step narrow it down.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyses/run/run_diagnostics.h"

namespace bricard {

class SingularPassages {
 public:
  /// Positions and velocities at a time within the last step; false if there are none.
  using StateWithin = std::function<bool(double t, Vector& q, Vector& v)>;
  struct Passage {
    double time, singularity;
  };
  struct RankChange {
    double time;
    int before, after;
  };

  SingularPassages(System& system, RunDiagnostics& diagnostics);

  void begin(double t, ConstVector q, ConstVector v);
  void step(double t, ConstVector q, ConstVector v, const StateWithin& within);
  /// The run goes back to this state and comes again.
  void rewind(double t, ConstVector q, ConstVector v);

  /// Those that are small enough to matter; the last step counts as a minimum if the value still falls there.
  std::vector<Passage> passages() const;
  /// One sentence on the passages, one on ranks; none if there is nothing to say.
  std::vector<std::string> messages() const;

 private:
  struct Sample {
    double t = 0, value = 1, rate = 0;
    int rank = 0;
  };
  Sample sample(double t, ConstVector q, ConstVector v);
  Passage narrow(Sample left, Sample right, const StateWithin& within);

  System& system_;
  RunDiagnostics& diagnostics_;
  Equations eq_;
  Vector no_states_, q_, v_, moved_;
  Sample last_;
  double largest_ = 0;
  std::vector<Passage> minima_;
  std::vector<RankChange> rank_changes_;
};

/// Null where there are no constraints, or more than can be examined at every step.
std::unique_ptr<SingularPassages> create_passages(System& system, RunDiagnostics& diagnostics);

}  // namespace bricard

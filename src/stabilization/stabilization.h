// Stabilisation keeps the constraints from drifting: by a changed right-hand side, or by a correction after each step.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/dynamics.h"

namespace bricard {

struct StabilizationOptions {
  double alpha = 10, beta = 10;     // Baumgarte
  std::string selection = "gauss";  // partitioning
  Matrix independent = {};          // partitioning: see FormulationOptions
  bool keep_partition = false;
  double hysteresis = 0.5;
  Vector row_alpha = {}, row_beta = {};  // Baumgarte: gains of each row; empty: the same for all
  std::string gains = "fixed";           // Baumgarte: fixed, stability (of the integrator at its step), adaptive
  double gain_fraction = 0.036;          // of the stability limit
  std::string integrator = "";           // whose stability limits the gains
  double step = 0;                       // its fixed step; 0: as it chooses
  double threshold = 1e-9;               // partitioning: relative rank threshold
  double bound = 1e-6;  // hybrid: constraint errors (relative to the model's size) above which feedback has failed
};

class Stabilization {
 public:
  explicit Stabilization(Feedback feedback = {}) : feedback_(std::move(feedback)) {}
  virtual ~Stabilization() = default;
  /// What changes gamma before accelerations are found, the same throughout a run.
  const Feedback& feedback() const { return feedback_; }
  /// True if correct() does something.
  virtual bool corrects() const { return false; }
  /// Moves (q, v) to a state that satisfies the constraints, by the engine that computes the accelerations or on its
  /// own.
  virtual StepChange correct(Dynamics& dynamics, double t, VectorRef q, VectorRef v) {
    (void)dynamics, (void)t, (void)q, (void)v;
    return StepChange::none;
  }
  virtual std::string failure() const { return {}; }
  /// What there is to say of the run, for its summary; empty if nothing.
  virtual std::string report() const { return {}; }

 private:
  Feedback feedback_;
};

struct StabilizationType {
  const char* name;
  const char* description;
  const char* source;
  bool feedback, corrections;  // changes gamma; corrects states
  bool whole_only = false;     // its corrections take P; otherwise every engine projects in its own way
  std::unique_ptr<Stabilization> (*create)(System& system, const StabilizationOptions& options);
};

/// All stabilisations, in the order of stabilizations.def.
const std::deque<StabilizationType>& stabilization_types();
const StabilizationType* find_stabilization_type(const std::string& name);

}  // namespace bricard

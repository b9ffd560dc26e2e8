// Stabilisation keeps the constraints from drifting: by a changed right-hand side, or by a correction after each step.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamics/dynamics.h"

namespace bricard {

/// Of Baumgarte's gains: as given, by the integrator's stability, by the errors that they leave.
enum class GainRule { fixed, stability, adaptive };

struct StabilizationOptions {
  double alpha = 10, beta = 10;     // Baumgarte
  std::string selection = "gauss";  // partitioning
  Matrix independent = {};          // partitioning: see FormulationOptions
  bool keep_partition = false;
  double hysteresis = 0.5;
  Vector row_alpha = {}, row_beta = {};  // Baumgarte: gains of each row; empty: the same for all
  GainRule gains = GainRule::fixed;      // Baumgarte
  double stable_gain = 0;                // over the step: alpha and beta of `stability`, the most of `adaptive`
  double step = 0;                       // the first one, where it is known
  double threshold = 1e-9;               // partitioning: relative rank threshold
  double bound = 0;  // hybrid ones: |Phi| above which the constraints are not kept; 0: 1e-6 of the model's size
};

class Stabilization {
 public:
  explicit Stabilization(Feedback feedback = {}) : feedback_(std::move(feedback)) {}
  virtual ~Stabilization() = default;
  /// What changes gamma before accelerations are found. The same within a step; whether there is any, throughout a run.
  const Feedback& feedback() const { return feedback_; }
  /// After every accepted step, at its corrected end. If it has changed feedback(): `corrected` where an integrator with
  /// a memory may go on, `replaced` where accelerations jump.
  virtual StepChange renew_feedback(double t, ConstVector q, ConstVector v) {
    (void)t, (void)q, (void)v;
    return StepChange::none;
  }
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

 protected:
  Feedback feedback_;
};

struct StabilizationType {
  const char* name;
  const char* description;
  const char* source;
  bool feedback, corrections;  // changes gamma; corrects states
  bool rules = false;          // its gains may follow a rule
  bool whole_only = false;     // its corrections take P; otherwise every engine projects in its own way
  bool switches = false;       // begins with neither, and turns them on and off by how the constraints are kept
  std::unique_ptr<Stabilization> (*create)(System& system, const StabilizationOptions& options);
};

/// Of hybrid ones.
double bound_of(const StabilizationOptions& options, const System& system);

/// All stabilisations, in the order of stabilizations.def.
const std::deque<StabilizationType>& stabilization_types();
const StabilizationType* find_stabilization_type(const std::string& name);

}  // namespace bricard

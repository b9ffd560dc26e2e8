// Stabilisation keeps the constraints from drifting: by a changed right-hand side, or by a correction after each step.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formulations/motion_equations.h"
#include "system/system.h"

namespace bricard {

struct StabilizationOptions {
  double alpha = 10, beta = 10;     // Baumgarte
  std::string selection = "gauss";  // partitioning
  double threshold = 1e-9;          // partitioning: relative rank threshold
  double bound = 1e-6;  // hybrid: constraint errors (relative to the model's size) above which feedback has failed
};

/// What GraphMotion needs to do the same as a stabilisation.
struct GraphStabilization {
  bool projection = false;
  double alpha = 0, beta = 0;  // gains of feedback
};

class Stabilization {
 public:
  virtual ~Stabilization() = default;
  /// Changes gamma before the accelerations are found.
  virtual void adjust(const Equations& equations, VectorRef gamma) { (void)equations, (void)gamma; }
  /// True if correct() does something.
  virtual bool corrects() const { return false; }
  /// Moves (q, v) to a state that satisfies the constraints.
  virtual StepChange correct(double t, VectorRef q, VectorRef v) {
    (void)t, (void)q, (void)v;
    return StepChange::none;
  }
  virtual std::string failure() const { return {}; }
  /// Nothing: GraphMotion cannot do it.
  virtual std::optional<GraphStabilization> in_graph() const { return std::nullopt; }
  /// What there is to say of the run, for its summary; empty if nothing.
  virtual std::string report() const { return {}; }
};

struct StabilizationType {
  const char* name;
  const char* description;
  const char* source;
  bool feedback, corrections;  // changes gamma; corrects states
  std::unique_ptr<Stabilization> (*create)(System& system, const StabilizationOptions& options);
};

/// All stabilisations, in the order of stabilizations.def.
const std::deque<StabilizationType>& stabilization_types();
const StabilizationType* find_stabilization_type(const std::string& name);

}  // namespace bricard

// Inverse dynamics: the efforts of actuators on joint coordinates that make a mechanism follow a given motion.
//   positions nearest to the given ones that satisfy the constraints, then v and v' in the same way, then
//   M v' - Q = -P^T lambda + G^T tau,   G = ds/dv of the actuated coordinates s              (see DriveEfforts)
// As many actuators as freedoms: tau is unique. More: tau of least norm, torques counted per characteristic length.
// Fewer: what the motion needs and the actuators cannot give is the residual; the analysis fails if there is one.
#pragma once

#include <map>
#include <optional>

#include "bricard/effort_summary.h"
#include "bricard/motion_table.h"
#include "bricard/simulate.h"

namespace bricard {

struct InverseOptions {
  std::optional<MotionTable> motion = {};      // none: the model is simulated first
  std::vector<std::string> actuate = {};       // joints, or their coordinates ("C.angle"); empty: see below
  std::map<std::string, double> weights = {};  // of efforts in the norm that is made least, by the same names
  double largest_residual = 1e-3;  // relative to what there is to balance, for a motion to count as possible
  std::function<void(double fraction)> progress = {};
  std::function<bool()> interrupted = {};  // asked after rows and steps: true ends the work there; may be empty
};

struct InverseSummary {
  bool completed = false, interrupted = false;
  std::string failure;
  std::vector<std::string> actuated;  // columns of the coordinates
  int freedoms = 0;                   // of the mechanism without its actuators
  std::string motion;                 // where it comes from
  double start = 0, end = 0;
  long outputs = 0;
  double cpu_seconds = 0;
  Correction length_correction, angle_correction;  // largest, to satisfy the constraints
  bool efforts_are_unique = true;
  double residual = 0, residual_time = 0;  // largest relative one
  std::vector<std::string> columns;
  Vector final;
  EffortSummary efforts;
  std::vector<std::string> messages;

  bool ok() const { return completed; }
};

/// Columns: time, J.effort and J.power of the actuated coordinates (effort2, power2: of a joint's second), then those
/// of a simulation. Motions and actuators of the model on actuated coordinates are left out: the efforts take their
/// place; so are motions on coordinates that the table gives. `actuate` is empty: the coordinates that have motions or
/// actuators in the model and (with a table) a column; if there are none, as many coordinates (of the table) as there
/// are freedoms. Of `method`: duration, output_step (default: the times of the table), reactions, seed; all of it for
/// the simulation.
InverseSummary inverse_dynamics(const std::shared_ptr<const Model>& model, const Method& method, Sink& sink,
                                const InverseOptions& options = {});

struct InverseResult {
  InverseSummary summary;
  MemorySink data;
  bool ok() const { return summary.ok(); }
};
InverseResult inverse_dynamics(const std::shared_ptr<const Model>& model, const Method& method = {},
                               const InverseOptions& options = {});

}  // namespace bricard

// Kinematics: the motion of a mechanism whose every freedom is driven by a law of time, without integrating, and by
// inverse dynamics what its drives and joints have to give:
//   Phi(q, t) = 0,   P v = -Phi_t,   P v' = gamma,   P^T lambda = Q - M v'      [Jalon-Bayo, chapters 3 and 5.3]
#pragma once

#include "bricard/effort_summary.h"
#include "bricard/simulate.h"

namespace bricard {

struct KinematicsOptions {
  bool hold = false;  // freedoms that nothing drives stay at rest (least norm) instead of being refused
  std::function<void(double fraction)> progress = {};
  std::function<bool()> interrupted = {};  // asked after rows: true ends the motion there; may be empty
};

struct KinematicsSummary {
  bool completed = false, interrupted = false;
  std::string failure;  // where and why it stopped
  Structure structure;
  std::vector<Displacement> moved_by_assembly;
  double duration = 0, output_step = 0;
  double time = 0;  // reached
  long steps = 0, outputs = 0;
  double cpu_seconds = 0;
  double constraint_position_max = 0, constraint_velocity_max = 0;
  std::vector<std::string> columns;
  Vector final;           // last row
  EffortSummary efforts;  // of the drives: NAME.effort and NAME.power
  std::vector<double> singular_times;
  std::vector<std::string> messages;

  bool ok() const { return completed; }
};

/// Columns: those of a simulation, then NAME.power of the drives and the bodies' accelerations (b.ax b.ay b.alpha; in
/// space b.ax b.ay b.az b.alphax b.alphay b.alphaz). Of `method`: duration, output_step, reactions, seed.
/// Throws InputError for a model that cannot be assembled or has friction with memory; a model that is not fully
/// driven, or whose drives cannot be followed, is a failure in the summary.
KinematicsSummary kinematics(const std::shared_ptr<const Model>& model, const Method& method, Sink& sink,
                             const KinematicsOptions& options = {});

struct KinematicsResult {
  KinematicsSummary summary;
  MemorySink data;
  bool ok() const { return summary.ok(); }
};
KinematicsResult kinematics(const std::shared_ptr<const Model>& model, const Method& method = {},
                            const KinematicsOptions& options = {});

}  // namespace bricard

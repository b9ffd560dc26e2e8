// Simulation: assembles a model, chooses a method, integrates, records.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bricard/assembly.h"
#include "bricard/choose_method.h"
#include "bricard/method.h"
#include "bricard/result_rows.h"
#include "bricard/structure.h"
#include "bricard/types.h"

namespace bricard {

/// What the values of some columns mean.
struct ResultNotes {
  std::vector<std::string> not_unique;  // components of reactions that the motion does not determine
  std::string convention;               // which of their possible values they have
};

/// What is known of a run before its first row.
struct RunDescription {
  const Model& model;
  const ChosenMethod& chosen;
  const Structure& structure;
  const ResultNotes& notes;
};

/// Receives the rows of a run as they come.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Called once, before begin().
  virtual void describe(const RunDescription& description) { (void)description; }
  virtual void begin(const std::vector<std::string>& columns) = 0;
  /// What a run calls for begin(); a sink that can do without names saves itself their memory.
  virtual void begin_unnamed(const std::function<std::vector<std::string>()>& columns) { begin(columns()); }
  /// Asked after begin(): a sink that reads no rows gets none, which saves a run what they cost.
  virtual bool wants_rows() const { return true; }
  /// Asked after begin(): what nobody wants may be left out of a row, and is 0 there.
  virtual bool wants_column(int column) const { return (void)column, true; }
  virtual void row(const Vector& values) = 0;
  /// After the last row, also of a run that failed.
  virtual void end() {}
};

/// Keeps every row in memory.
class MemorySink : public Sink {
 public:
  void describe(const RunDescription& run) override { notes = run.notes; }
  void begin(const std::vector<std::string>& names) override { columns = names; }
  void row(const Vector& values) override { rows.push_back(values); }
  /// A column over all rows. For an unknown name this, at() and index() throw std::out_of_range, with the nearest one.
  ResultRows::Column column(const std::string& name) const { return rows.column(index(name)); }
  double at(std::size_t row, const std::string& name) const { return rows.at(row)[index(name)]; }
  /// Number of a column.
  int index(const std::string& name) const;

  ResultNotes notes;
  std::vector<std::string> columns;
  ResultRows rows;
};

/// Help that a run was given beyond its method, see Method::rescue.
struct Rescue {
  double time = 0;
  std::string what;
};

struct Summary {
  bool completed = false;
  bool interrupted = false;  // from outside: not the run's fault
  std::string failure;       // where and why it stopped
  ChosenMethod chosen;
  std::string dynamics;  // the engine that computed the accelerations, and its size
  std::vector<Rescue> rescues;
  Structure structure;
  std::vector<Displacement> moved_by_assembly;
  double time = 0;  // reached
  long steps = 0, rejected = 0, evaluations = 0, restarts = 0, outputs = 0;
  long newton_iterations = 0;  // of implicit integrators
  long renewals = 0;           // independent coordinates chosen anew
  double cpu_seconds = 0;
  double constraint_position_max = 0, constraint_velocity_max = 0;  // at rows; without rows, at ends of steps
  double energy_drift = 0;  // over all steps: |energy - work of forces without a potential - energy at the start|, J
  double energy_scale = 0;  // largest kinetic or change of potential energy, J: what the drift is to be compared to
  std::vector<std::string> columns;
  Vector final;  // last row; of a run that stopped early, the state that it had reached
  ResultNotes notes;
  std::vector<std::string> messages;

  bool ok() const { return completed; }
};

struct SimulationOptions {
  std::function<void(double fraction)> progress = {};  // called after steps; may be empty
  std::function<bool()> interrupted = {};  // asked after steps: true ends the run with its rows; may be empty
};

/// Throws InputError for a method that does not fit; a failed integration is returned in the Summary.
Summary simulate(const std::shared_ptr<const Model>& model, const Method& method, Sink& sink,
                 const SimulationOptions& options = {});

struct SimulationResult {
  Summary summary;
  MemorySink data;
  bool ok() const { return summary.ok(); }
};
SimulationResult simulate(const std::shared_ptr<const Model>& model, const Method& method = {});

}  // namespace bricard

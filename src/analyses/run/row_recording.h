// Rows of a run: made from where its motion was observed, examined, watched for the figures of the summary, and handed
// on.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "analyses/run/divergence.h"
#include "analyses/run/energy_bounds.h"
#include "analyses/run/recorder.h"

namespace bricard {

/// That a value of a row is none, in words: "column crank.x is not a finite number"; empty if all are. `columns`: the
/// names, as a function.
template <class Columns>
std::string value_that_is_none(const Vector& row, const Columns& columns) {
  for (int k = 0; k < row.size(); ++k) {
    if (!std::isfinite(row[k])) return fmt::format("column {} is not a finite number", columns()[k]);
  }
  return {};
}

class RowRecording {
 public:
  /// Throws InputError for more rows than there may be. All must outlive this object.
  RowRecording(System& system, Recorder& recorder, Sink& sink, Divergence& divergence, EnergyBounds& energy,
               Summary& summary);

  /// Tells the sink what comes, and asks it what it wants.
  void begin();
  bool rows_are_wanted() const { return rows_wanted_; }

  /// Where the motion was observed last, of which x is the state. Why there is no row, in words; empty if there is one.
  std::string record(double t, const MechanismMotion& motion, const Vector& x, bool last);
  /// All columns there.
  const Vector& complete_row(double t, const MechanismMotion& motion, const Vector& x);
  /// The last row of the summary has its reactions too.
  bool is_complete() const { return complete_; }

 private:
  System& system_;
  Recorder& recorder_;
  Sink& sink_;
  Divergence& divergence_;
  EnergyBounds& energy_;
  Summary& summary_;
  bool rows_wanted_ = true, reactions_wanted_ = false;  // by the sink
  bool complete_ = true;
  Vector row_;
};

}  // namespace bricard

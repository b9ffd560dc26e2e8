#include "analyses/run/row_recording.h"

#include <algorithm>

#include "analyses/run/budget.h"

namespace bricard {

RowRecording::RowRecording(System& system, Recorder& recorder, Sink& sink, Divergence& divergence, EnergyBounds& energy,
                           Summary& summary)
    : system_(system),
      recorder_(recorder),
      sink_(sink),
      divergence_(divergence),
      energy_(energy),
      summary_(summary),
      row_(recorder.column_count()) {
  const Method& method = summary.chosen.method;
  check_rows(method.duration, method.output_step, recorder.column_count(), method.memory_limit);
}

void RowRecording::begin() {
  sink_.describe({system_.model(), summary_.chosen, summary_.structure, summary_.notes});
  sink_.begin_unnamed([this] { return recorder_.columns(); });
  rows_wanted_ = sink_.wants_rows();
  const auto [first, last] = recorder_.reaction_columns();
  for (int k = first; k < last && rows_wanted_; ++k) reactions_wanted_ = reactions_wanted_ || sink_.wants_column(k);
}

std::string RowRecording::record(double t, const MechanismMotion& motion, const Vector& x, bool last) {
  complete_ = last || reactions_wanted_;
  recorder_.leave_out_reactions(!complete_);
  recorder_.record(t, system_, motion, motion.friction_states(x), row_);
  if (std::string wrong = value_that_is_none(row_, [this] { return recorder_.columns(); }); !wrong.empty())
    return wrong;
  if (std::string grown = divergence_.of_constraints(motion.equations().Phi, row_[recorder_.constraint_position()]);
      !grown.empty())
    return grown;
  energy_.see(row_[recorder_.energy_total()], row_[recorder_.energy_total() - 2]);
  summary_.constraint_position_max = std::max(summary_.constraint_position_max, row_[recorder_.constraint_position()]);
  summary_.constraint_velocity_max = std::max(summary_.constraint_velocity_max, row_[recorder_.constraint_velocity()]);
  if (rows_wanted_) sink_.row(row_);
  summary_.final = row_;
  ++summary_.outputs;
  return {};
}

const Vector& RowRecording::complete_row(double t, const MechanismMotion& motion, const Vector& x) {
  recorder_.leave_out_reactions(false);
  recorder_.record(t, system_, motion, motion.friction_states(x), row_);
  return row_;
}

}  // namespace bricard

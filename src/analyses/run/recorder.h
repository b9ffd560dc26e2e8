// The result columns of a run: what they are called and how a state fills them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyses/reactions/physical_reactions.h"
#include "analyses/reactions/tree_reactions.h"
#include "analyses/run/run_diagnostics.h"
#include "analyses/structure/body_companion.h"
#include "motions/mechanism_motion.h"

namespace bricard {

/// A state as the recorder needs it.
struct RecordedState {
  const Equations& equations;
  const Vector &q, &v, &vdot, &lambda;
  const Vector& forces;  // generalised forces beside the equations' Q: friction that depends on loads, efforts
};

/// lambda.ROW, phi.ROW, phi_dot.ROW: what a user asks for by a name or by "lambda.*".
bool is_row_column(const std::string& name);

class Recorder {
 public:
  /// `reaction_length`: see PhysicalReactions; `diagnostics`: adds its columns, may be null; `regular`: no constraint
  /// depends on others; `row_columns`: adds those of constraints.
  Recorder(System& system, ReactionScheme scheme, double reaction_length = 0, RunDiagnostics* diagnostics = nullptr,
           bool regular = false, bool row_columns = false);

  /// Names, made anew by every call: a run of many bodies has more of them than of anything else.
  std::vector<std::string> columns() const;
  int column_count() const { return column_count_; }
  /// Columns of reactions of joints, which cost more than all others: first, and one after the last.
  std::pair<int, int> reaction_columns() const { return {first_reaction_, first_reaction_ + reaction_count_}; }
  /// From now on they are 0, for rows that nobody reads them of.
  void leave_out_reactions(bool left_out) { without_reactions_ = left_out; }
  /// Values at the state at which the system was evaluated last, of which `state` is the rest.
  void record(double t, System& system, const RecordedState& state, ConstVector friction_states, Vector& row);
  /// The same, where the motion's derivative was evaluated last.
  void record(double t, System& system, const MechanismMotion& motion, ConstVector friction_states, Vector& row);

  /// Columns that the run itself watches.
  int energy_total() const { return energy_ + 2; }
  int constraint_position() const { return energy_ + 3; }
  int constraint_velocity() const { return energy_ + 4; }

 private:
  std::vector<std::string> columns_before_energy() const;
  /// "A: axis perpendicular 1" as a part of a column's name: "A.axis_perpendicular_1".
  std::string row_column(int row) const;
  void put_reactions(double t, System& system, const RecordedState& state, const Equations& eq,
                     ConstVector friction_states, double* value);
  /// What schemes of reactions and diagnostics need, where the motion has no matrices.
  const Equations& whole_equations(double t, System& system, const RecordedState& state, ConstVector friction_states);

  const System& system_;
  int energy_ = 0, column_count_ = 0, first_reaction_ = 0, reaction_count_ = 0;
  bool without_reactions_ = false;
  bool from_multipliers_;  // reactions
  bool row_columns_;
  std::unique_ptr<TreeReactions> tree_;           // of trees
  std::unique_ptr<BodyCompanion> companion_;      // of other coordinates that absorb joints
  std::unique_ptr<PhysicalReactions> reactions_;  // of other schemes
  RunDiagnostics* diagnostics_;
  std::unique_ptr<Equations> whole_;
  Vector errors_;
};

}  // namespace bricard

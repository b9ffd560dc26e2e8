// A model in a coordinate set: evaluates the equations of motion at an instant. A System has workspaces of its own, so
// each thread needs one; the Model is shared. Constructing allocates, evaluating does not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coordinates/coordinates.h"
#include "forces/friction.h"
#include "joints/reactions.h"
#include "system/equations.h"

namespace bricard {

/// How far an evaluation goes; each includes the ones before.
enum class Upto {
  positions,   // Phi, P of position-level rows
  velocities,  // Phi_t, Phi_dot, gamma, P of velocity-level rows
  forces,      // Q
  dynamics,    // M
};

/// Rows beside the joints' and motions': the values that `initial:` asks for, as the assembly needs them.
enum class ExtraRows { none, initial_values };

class System {
 public:
  System(std::shared_ptr<const Model> model, const CoordinatesType& type, ExtraRows extra = ExtraRows::none);

  const Model& model() const { return *model_; }
  const std::shared_ptr<const Model>& shared_model() const { return model_; }
  const CoordinatesType& coordinates_type() const { return type_; }
  Coordinates& coordinates() { return *coordinates_; }
  const Coordinates& coordinates() const { return *coordinates_; }

  int position_size() const { return coordinates_->position_size(); }
  int velocity_size() const { return coordinates_->velocity_size(); }
  int state_size() const { return friction_.state_size(); }
  int row_count() const { return static_cast<int>(rows().size()); }
  const std::vector<RowInfo>& rows() const { return row_info_.empty() ? rows_.info : row_info_; }
  /// "A: x", "S: axis perpendicular 1"
  std::string row_name(int row) const;

  /// False for large deep trees, whose M would be dense: M^-1 goes by recursion (dynamics/tree/tree_dynamics.h), and
  /// the equations' M is zero.
  bool has_mass_matrix() const { return has_mass_matrix_; }

  /// Equations with sizes and patterns of this system, all values zero. The patterns are found when they are first
  /// needed: runs by graphs and trees never do.
  const Equations& empty_equations() const {
    if (!has_pattern_) build_patterns();
    return pattern_;
  }
  /// The same without matrices; evaluations leave rows of the coordinates' own zero in it.
  Equations empty_vectors() const;

  /// `states`: internal states of friction. Friction that depends on the joints' loads is not in Q: see add_friction().
  /// Equations without matrices get everything but M and P.
  void evaluate(double t, ConstVector q, ConstVector v, ConstVector states, Upto upto, Equations& equations);

  // --- for canonical equations, which find velocities from momenta within an evaluation ---
  /// Phi, P, Phi_t and M at t and q, of rows that are linear in the velocities.
  void evaluate_matrices(double t, ConstVector q, Equations& equations);
  /// After that, at velocities v: Q without the velocity-dependent inertia terms (see Coordinates::add_momentum_rates).
  void evaluate_applied_forces(ConstVector q, ConstVector v, ConstVector states, Equations& equations);
  /// After that: Phi_dot, gamma, and Q with these terms; as by evaluate(.., Upto::dynamics, ..).
  void complete(ConstVector q, ConstVector v, Equations& equations);

  // --- for engines that evaluate joints and weights themselves ---
  const Rows& row_table() const { return rows_; }
  bool has_forces() const { return !forces_.empty(); }
  bool has_angles() const { return signals_.has_angles(); }
  /// Forces, friction and general rows (see Rows::evaluate_general_rows) with the markers and signals that they need,
  /// nothing else; all rows where friction depends on the joints' loads. Values of rows go to the given equations'
  /// vectors.
  void evaluate_elements(double t, ConstVector q, ConstVector v, ConstVector states, Equations& equations);
  const std::vector<Load>& loads() const { return loads_; }
  /// Energy stored in force elements, and the power of everything in them that has no potential.
  double stored_energy(double t) const;
  double element_power(double t) const;
  double friction_power() const { return power(friction_loads_); }
  /// Joint coordinates at the last evaluation's state, counted over full turns: markers and signals alone.
  void evaluate_signals(double t, ConstVector q, ConstVector v);

  // --- after evaluate(.., Upto::dynamics, ..) ---
  bool friction_depends_on_load() const { return friction_.depends_on_load(); }
  /// True if joints have no rows, so that their reactions do not follow from multipliers.
  bool absorbs_joints() const { return type_.absorbs_joints; }
  /// Q with friction for the given multipliers.
  void add_friction(ConstVector lambda, ConstVector states, const Equations& equations, VectorRef Q);
  /// The same for given loads, the sizes of the joints' reaction forces.
  void add_friction_of_loads(ConstVector loads, ConstVector states, const Equations& equations, VectorRef Q);
  /// The same with the efforts of another system of this model.
  void add_friction_of(const JointFriction& other, const Equations& equations, VectorRef Q);
  void state_rates(ConstVector lambda, ConstVector states, VectorRef rates);
  Reaction reaction(int joint, ConstVector lambda) const { return reactions_.of_joint(joint, rows_, markers_, lambda); }
  const Reactions& reactions() const { return reactions_; }
  const JointFriction& friction() const { return friction_; }
  /// Name of the first force whose last value is not a finite number; empty if there is none.
  std::string force_without_value() const;
  double kinetic_energy() const { return coordinates_->kinetic_energy(); }
  double potential_energy(double t) const;
  /// Power of everything without a potential: dampers, applied forces, friction, drives.
  double nonconservative_power(const Equations& equations, ConstVector lambda) const;

  // --- what the last evaluation saw ---
  const Markers& markers() const { return markers_; }
  const Signals& signals() const { return signals_; }
  /// Joint coordinates are counted over full turns from the last accepted instant.
  void accept(double t) { signals_.accept(t); }
  bool turns_are_certain(double t) const { return signals_.turns_are_certain(t); }
  /// The same for one angle, whose directions the caller knows (see Signals).
  bool count_turn(int signal, double t, const std::array<Vec3, 3>& values, const std::array<Vec3, 3>& rates) {
    return signals_.count_turn(signal, t, values, rates);
  }
  /// The last accepted instant is given up: turns are counted from the one before it.
  void take_back() { signals_.take_back(); }
  /// Says on which revolution the joints' angles are (initial values beyond half a turn).
  void set_turn(int joint, int coordinate, double angle, double t = 0, double rate = 0) {
    signals_.set_turn(joint_coordinates_[joint][coordinate], t, angle, rate);
  }
  /// Signals of the joints' coordinates.
  const std::vector<std::vector<int>>& joint_coordinates() const { return joint_coordinates_; }
  Vec3 center_velocity(int body) const {
    return center_.empty() ? coordinates_->velocity(body) : markers_.rate[center_[body]];
  }
  Vec3 angular_velocity(int body) const {
    return rotation_.empty() ? coordinates_->omega(body) : markers_.rate[rotation_[body]];
  }
  /// All bodies at the last evaluation of velocities.
  void body_states(std::vector<BodyState>& states) const;
  /// Accelerations of the centres of mass and angular accelerations, for v' at the state of the last evaluation.
  void body_accelerations(ConstVector q, ConstVector v, ConstVector vdot, std::vector<Vec3>& linear,
                          std::vector<Vec3>& angular);
  /// P v' - gamma, also without P.
  void acceleration_errors(ConstVector q, ConstVector v, ConstVector vdot, const Equations& equations, Vector& errors);
  const std::vector<BoundExpression>& outputs() const { return outputs_; }
  // Elements and their loads, for derivatives; see row_table() and loads() too.
  const std::vector<std::unique_ptr<ForceElement>>& forces() const { return forces_; }
  const std::vector<Load>& friction_loads() const { return friction_loads_; }
  ForceContext force_context(double t) const { return context(t); }
  /// Expressions that act on the motion and switch or change with time.
  const std::vector<ActingLaw>& laws() const { return laws_; }
  /// Row of a motion.
  int motion_row(int motion) const { return motion_row_[motion]; }

 private:
  void add_initial_rows(RowBuilder& builder);
  void evaluate_own_rows(ConstVector q, ConstVector v, Equations& equations);
  void add_applied_forces(double t, ConstVector states, Equations& equations);
  void build_patterns() const;
  void find_element_needs();
  void split_velocity_rows(Equations& equations) const;
  void reaction_forces(ConstVector lambda);
  double power(const std::vector<Load>& loads) const;
  ForceContext context(double t) const { return {t, markers_, signals_}; }

  std::shared_ptr<const Model> model_;
  CoordinatesType type_;
  std::unique_ptr<Coordinates> coordinates_;
  Markers markers_;
  Signals signals_;
  Rows rows_;
  std::vector<RowInfo> row_info_;  // the rows' and the coordinates' own, if they have any
  std::vector<std::vector<int>> joint_coordinates_;
  std::vector<int> motion_row_;
  std::vector<int> center_, rotation_;  // markers of each body, where the coordinates do not know bodies
  std::vector<Load> gravity_, loads_, friction_loads_;
  std::vector<std::unique_ptr<ForceElement>> forces_;
  std::vector<std::size_t> loads_end_;  // of each force, in loads_
  std::vector<BoundExpression> outputs_;
  std::vector<ActingLaw> laws_;
  RowBuilder builder_;
  ForceBuilder friction_builder_;
  JointFriction friction_;
  Reactions reactions_;
  Vector reaction_force_, at_rest_, no_states_;
  bool mass_is_sparse() const;
  // Found when first needed.
  mutable std::vector<int> slots_;  // places in P's values for rows_.entries, one a column of the marker
  mutable Equations pattern_;
  mutable bool has_pattern_ = false;
  bool has_mass_matrix_ = true;
  std::vector<int> element_markers_, element_signals_;
};

}  // namespace bricard

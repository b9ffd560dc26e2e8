#include "analyses/run/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "analyses/structure/structure.h"
#include "analyses/structure/unique_columns.h"
#include "bricard/input_error.h"

namespace bricard {

Recorder::Recorder(System& system, ReactionScheme scheme, double reaction_length, RunDiagnostics* diagnostics,
                   bool regular, bool row_columns)
    : system_(system),
      from_multipliers_(scheme == ReactionScheme::multipliers),
      row_columns_(row_columns),
      diagnostics_(diagnostics) {
  if (system.absorbs_joints()) {
    if (from_multipliers_ && TreeReactions::suits(system, regular)) {
      tree_ = std::make_unique<TreeReactions>(system);
    } else {
      companion_ = std::make_unique<BodyCompanion>(system);
    }
  }
  if (!from_multipliers_) {
    reactions_ =
        std::make_unique<PhysicalReactions>(companion_ ? companion_->system() : system, scheme, reaction_length);
  }
  energy_ = static_cast<int>(columns_before_energy().size());
  for (std::size_t k = 0; k < system.model().joints.size(); ++k)
    reaction_count_ += static_cast<int>(reaction_components(system, static_cast<int>(k)).size());
  first_reaction_ =
      energy_ - reaction_count_ - static_cast<int>(system.model().motions.size()) - system.friction().size();
  const std::vector<std::string> names = columns();
  column_count_ = static_cast<int>(names.size());
  if (!diagnostics_) {
    refuse_duplicate_columns(names);
    return;
  }
  const auto first = names.end() - static_cast<std::ptrdiff_t>(diagnostics_->columns().size());
  for (auto name = first; name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name)
      throw InputError(fmt::format("the name '{}' is that of a column of the diagnostics; choose another one", *name));
  }
  refuse_duplicate_columns(names);
}

std::vector<std::string> Recorder::columns_before_energy() const {
  const Model& model = system_.model();
  std::vector<std::string> columns = {"time"};
  const auto add = [&](const std::string& prefix, std::initializer_list<const char*> names) {
    for (const char* name : names) columns.push_back(prefix + name);
  };
  for (const Body& body : model.bodies) {
    if (model.planar()) {
      add(body.name, {".x", ".y", ".angle", ".vx", ".vy", ".omega"});
    } else {
      add(body.name, {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"});
    }
  }
  for (const Joint& joint : model.joints) {
    const std::vector<std::string> names = coordinate_names(*find_joint_type(joint.type), model.dimension);
    for (const std::string& name : names) columns.push_back(joint.name + "." + name);
    for (std::size_t k = 0; k < names.size(); ++k) columns.push_back(joint.name + (k == 0 ? ".rate" : ".rate2"));
  }
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    for (const std::string& name : reaction_components(system_, static_cast<int>(k)))
      columns.push_back(model.joints[k].name + "." + name);
  }
  for (const Motion& motion : model.motions) add(motion.name, {".effort"});
  for (int k = 0; k < system_.friction().size(); ++k) {
    add(model.joints[system_.friction().joint(k)].name,
        {system_.friction().coordinate(k) == 0 ? ".friction" : ".friction2"});
  }
  return columns;
}

bool is_row_column(const std::string& name) {
  return name.starts_with("lambda.") || name.starts_with("phi.") || name.starts_with("phi_dot.");
}

std::string Recorder::row_column(int row) const {
  std::string name;
  for (const char c : system_.row_name(row)) {
    if (c == ':') {
      name += '.';
    } else if (c != ' ' || !name.ends_with('.')) {
      name += c == ' ' ? '_' : c;
    }
  }
  return name;
}

std::vector<std::string> Recorder::columns() const {
  std::vector<std::string> columns = columns_before_energy();
  columns.insert(columns.end(), {"energy.kinetic", "energy.potential", "energy.total", "constraint.position",
                                 "constraint.velocity", "constraint.acceleration"});
  for (const auto& [name, expression] : system_.model().outputs) columns.push_back(name);
  for (const char* kind : {"lambda.", "phi.", "phi_dot."}) {
    for (int row = 0; row_columns_ && row < system_.row_count(); ++row) columns.push_back(kind + row_column(row));
  }
  if (diagnostics_) columns.insert(columns.end(), diagnostics_->columns().begin(), diagnostics_->columns().end());
  return columns;
}

void Recorder::record(double t, System& system, const MechanismMotion& motion, ConstVector friction_states,
                      Vector& row) {
  const Vector friction = motion.friction_forces();
  record(t, system,
         {motion.equations(), motion.positions(), motion.velocities(), motion.accelerations(), motion.multipliers(),
          friction},
         friction_states, row);
}

const Equations& Recorder::whole_equations(double t, System& system, const RecordedState& state,
                                           ConstVector friction_states) {
  if (((from_multipliers_ || without_reactions_) && !diagnostics_) || state.equations.has_matrices())
    return state.equations;
  if (!whole_) whole_ = std::make_unique<Equations>(system.empty_equations());
  system.evaluate(t, state.q, state.v, friction_states, Upto::dynamics, *whole_);
  return *whole_;
}

void Recorder::put_reactions(double t, System& system, const RecordedState& state, const Equations& eq,
                             ConstVector friction_states, double* value) {
  const Model& model = system.model();
  const Vector& lambda = state.lambda;
  if (tree_) {
    tree_->find(system, state.q, state.v, state.vdot, lambda);
  } else if (companion_) {
    companion_->follow(t, state.q, state.v, state.vdot, friction_states);
    if (reactions_)
      reactions_->find(companion_->equations(), companion_->Q(), companion_->accelerations(),
                       companion_->multipliers());
  } else if (reactions_) {
    reactions_->find(eq, eq.Q + state.forces, state.vdot, lambda);
  }
  for (int joint = 0; joint < static_cast<int>(model.joints.size()); ++joint) {
    const auto [first, last] = system.reactions().rows_of_joint(joint);
    if (!system.reactions().has_reaction(joint)) {
      reaction_values(system, joint, lambda, value);
      value += last - first;
      continue;
    }
    const Reaction reaction = tree_        ? tree_->of_joint(system, joint)
                              : reactions_ ? reactions_->of_joint(joint)
                              : companion_ ? companion_->system().reaction(joint, companion_->multipliers())
                                           : system.reaction(joint, lambda);
    reaction_values(system, reaction, value);
    value += model.planar() ? 3 : 6;
  }
}

void Recorder::record(double t, System& system, const RecordedState& state, ConstVector friction_states, Vector& row) {
  const Model& model = system.model();
  const Equations& eq = whole_equations(t, system, state, friction_states);
  const Vector& lambda = state.lambda;
  double* value = row.data();
  const auto put = [&](double number) { *value++ = number; };
  const auto put3 = [&](const Vec3& vector) { put(vector.x()), put(vector.y()), put(vector.z()); };

  put(t);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Vec3 center = system.coordinates().center(b);
    const Vec3 &velocity = system.center_velocity(b), &omega = system.angular_velocity(b);
    if (model.planar()) {
      put(center.x()), put(center.y()), put(model.bodies[b].angle + system.markers().turn[b]);
      put(velocity.x()), put(velocity.y()), put(omega.z());
      continue;
    }
    const Quaternion p(system.coordinates().frame(b));
    put3(center);
    put(p.w()), put(p.x()), put(p.y()), put(p.z());
    put3(velocity);
    put3(omega);
  }
  for (const std::vector<int>& coordinates : system.joint_coordinates()) {
    for (int signal : coordinates) put(system.signals()[signal].value);
    for (int signal : coordinates) put(system.signals()[signal].rate);
  }
  if (without_reactions_) {
    std::fill_n(value, reaction_count_, 0.0);
  } else {
    put_reactions(t, system, state, eq, friction_states, value);
  }
  value += reaction_count_;
  for (int k = 0; k < static_cast<int>(model.motions.size()); ++k) put(-lambda[system.motion_row(k)]);
  for (int k = 0; k < system.friction().size(); ++k) put(system.friction().effort(k));
  const double kinetic = system.kinetic_energy(), potential = system.potential_energy(t);
  put(kinetic), put(potential), put(kinetic + potential);
  put(eq.Phi.norm()), put(eq.Phi_dot.norm());
  system.acceleration_errors(state.q, state.v, state.vdot, eq, errors_);
  put(errors_.norm());
  for (const BoundExpression& output : system.outputs()) put(output.value(t, system.signals()));
  if (row_columns_) {
    for (const Vector* values : {&lambda, &eq.Phi, &eq.Phi_dot})
      value = std::copy(values->begin(), values->end(), value);
  }
  if (diagnostics_) {
    diagnostics_->record(system, eq, state.q, value);
    value += diagnostics_->columns().size();
  }
  assert(value == row.data() + row.size());
}

}  // namespace bricard

#include "analyses/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "analyses/structure.h"
#include "model/input_error.h"

namespace bricard {

Recorder::Recorder(System& system, ReactionScheme scheme, double reaction_length, RunDiagnostics* diagnostics,
                   bool regular)
    : companion_(system.absorbs_joints() ? std::make_unique<BodyCompanion>(system, regular) : nullptr),
      reactions_(companion_ ? companion_->system() : system, scheme, reaction_length),
      diagnostics_(diagnostics),
      Q_(system.velocity_size()) {
  const Model& model = system.model();
  const auto add = [&](const std::string& prefix, std::initializer_list<const char*> names) {
    for (const char* name : names) columns_.push_back(prefix + name);
  };
  add("", {"time"});
  for (const Body& body : model.bodies) {
    if (model.planar()) {
      add(body.name, {".x", ".y", ".angle", ".vx", ".vy", ".omega"});
    } else {
      add(body.name, {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz", ".vx", ".vy", ".vz", ".wx", ".wy", ".wz"});
    }
  }
  for (const Joint& joint : model.joints) {
    const std::vector<std::string> names = coordinate_names(*find_joint_type(joint.type), model.dimension);
    for (const std::string& name : names) columns_.push_back(joint.name + "." + name);
    for (std::size_t k = 0; k < names.size(); ++k) columns_.push_back(joint.name + (k == 0 ? ".rate" : ".rate2"));
  }
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    for (const std::string& name : reaction_components(system, static_cast<int>(k)))
      columns_.push_back(model.joints[k].name + "." + name);
  }
  for (const Motion& motion : model.motions) add(motion.name, {".effort"});
  for (int k = 0; k < system.friction().size(); ++k) {
    add(model.joints[system.friction().joint(k)].name,
        {system.friction().coordinate(k) == 0 ? ".friction" : ".friction2"});
  }
  energy_ = static_cast<int>(columns_.size());
  add("", {"energy.kinetic", "energy.potential", "energy.total", "constraint.position", "constraint.velocity",
           "constraint.acceleration"});
  for (const auto& [name, expression] : model.outputs) add(name, {""});
  if (!diagnostics_) return;
  for (const std::string& name : diagnostics_->columns()) {
    if (std::find(columns_.begin(), columns_.end(), name) != columns_.end())
      throw InputError(fmt::format("the name '{}' is that of a column of the diagnostics; choose another one", name));
    columns_.push_back(name);
  }
}

void Recorder::record(double t, System& system, const MechanismMotion& motion, ConstVector friction_states,
                      Vector& row) {
  const Vector friction = motion.friction_forces();
  record(t, system,
         {motion.equations(), motion.positions(), motion.velocities(), motion.accelerations(), motion.multipliers(),
          friction},
         friction_states, row);
}

void Recorder::record(double t, System& system, const RecordedState& state, ConstVector friction_states, Vector& row) {
  const Model& model = system.model();
  const Equations& eq = state.equations;
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
  if (companion_) {
    companion_->follow(t, state.q, state.v, state.vdot, friction_states);
    reactions_.find(companion_->equations(), companion_->Q(), companion_->accelerations(), companion_->multipliers());
  } else {
    Q_ = eq.Q + state.forces;
    reactions_.find(eq, Q_, state.vdot, lambda);
  }
  for (int joint = 0; joint < static_cast<int>(model.joints.size()); ++joint) {
    if (system.reactions().has_reaction(joint)) {
      reaction_values(system, reactions_.of_joint(joint), value);
    } else {
      reaction_values(system, joint, lambda, value);
    }
    const auto [first, last] = system.reactions().rows_of_joint(joint);
    value += system.reactions().has_reaction(joint) ? (model.planar() ? 3 : 6) : last - first;
  }
  for (int k = 0; k < static_cast<int>(model.motions.size()); ++k) put(-lambda[system.motion_row(k)]);
  for (int k = 0; k < system.friction().size(); ++k) put(system.friction().effort(k));
  const double kinetic = system.kinetic_energy(), potential = system.potential_energy(t);
  put(kinetic), put(potential), put(kinetic + potential);
  put(eq.Phi.norm()), put(eq.Phi_dot.norm());
  put((eq.P * state.vdot - eq.gamma).norm());
  for (const BoundExpression& output : system.outputs()) put(output.value(t, system.signals()));
  if (diagnostics_) {
    diagnostics_->record(system, eq, value);
    value += diagnostics_->columns().size();
  }
  assert(value == row.data() + row.size());
}

}  // namespace bricard

#include "system/system.h"

#include <algorithm>

#include "model/registry.h"

namespace bricard {
namespace {

/// Joints first define their coordinates, then their rows: gears and expressions may name any joint of the file.
RowBuilder build_rows(const Model& model, const Coordinates& coordinates, Markers& markers, Signals& signals,
                      Rows& rows) {
  RowBuilder builder(model, markers, signals, rows);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < model.joints.size(); ++k) {
      const JointType& type = *find_joint_type(model.joints[k].type);
      builder.begin(RowOwner::joint, static_cast<int>(k));
      if (pass == 0 && type.measure) type.measure(model.joints[k], builder);
      if (pass == 1 && !coordinates.absorbs(static_cast<int>(k))) type.build(model.joints[k], builder);
    }
  }
  return builder;
}

}  // namespace

System::System(std::shared_ptr<const Model> model, const CoordinatesType& type, ExtraRows extra)
    : model_(std::move(model)),
      type_(type),
      coordinates_(type.create(*model_)),
      markers_(*model_),
      builder_(build_rows(*model_, *coordinates_, markers_, signals_, rows_)),
      friction_builder_(*model_, builder_, friction_loads_),
      friction_(*model_, friction_builder_),
      reactions_(*model_, rows_, builder_.reactions, markers_) {
  types_are_fixed = true;
  for (std::size_t k = 0; k < model_->motions.size(); ++k) {
    const Motion& motion = model_->motions[k];
    builder_.begin(RowOwner::motion, static_cast<int>(k));
    motion_row_.push_back(rows_.size());
    const int signal = motion.joint >= 0
                           ? builder_.coordinates[motion.joint][motion.coordinate]
                           : signals_.component(markers_.point(motion.point.body, motion.point.place), motion.direction,
                                                motion.direction.dot(motion.point.place));
    builder_.combination({{signal, 1}}, motion.position, "position");
  }
  if (extra == ExtraRows::initial_values) add_initial_rows(builder_);

  ForceBuilder force_builder(*model_, builder_, loads_);
  for (const Force& force : model_->forces) {
    builder_.begin_force(force.name);
    forces_.push_back(create_force(force, force_builder));
    loads_end_.push_back(loads_.size());
  }
  for (const auto& [name, expression] : model_->outputs) outputs_.push_back(builder_.bind(expression));
  for (int b = 0; !coordinates_->knows_bodies() && b < static_cast<int>(model_->bodies.size()); ++b) {
    center_.push_back(markers_.point(b, model_->bodies[b].center));
    rotation_.push_back(markers_.rotation(b));
    gravity_.push_back({center_[b], model_->bodies[b].mass * model_->gravity});
  }
  reaction_force_ = Vector::Zero(static_cast<int>(model_->joints.size()));
  if (coordinates_->own_rows() > 0) row_info_ = rows_.info;
  for (int row = 0; row < coordinates_->own_rows(); ++row)
    row_info_.push_back({.index = row, .owner = RowOwner::coordinates});
  constexpr int largest_dense_tree = 300;
  has_mass_matrix_ = velocity_size() <= largest_dense_tree || !coordinates_->spanning_tree() || mass_is_sparse();
  find_element_needs();
  joint_coordinates_ = std::move(builder_.coordinates);
  laws_ = std::move(builder_.laws);
  builder_.finish();
  const auto fit = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  fit(center_, rotation_, gravity_, loads_, friction_loads_, forces_, loads_end_, outputs_, element_markers_,
      element_signals_);
}

std::string System::row_name(int row) const {
  const RowInfo& info = rows()[row];
  switch (info.owner) {
    case RowOwner::joint: return model_->joints[info.index].name + ": " + rows_.labels[info.label];
    case RowOwner::motion: return model_->motions[info.index].name + ": " + rows_.labels[info.label];
    case RowOwner::initial: return rows_.labels[info.label];
    case RowOwner::coordinates: return coordinates_->own_row_name(info.index);
  }
  return {};
}

void System::find_element_needs() {
  std::vector<int> signals = builder_.used;
  for (const Rows::Combination& row : rows_.combination) {
    for (const Rows::Term& term : row.terms) signals.push_back(term.signal);
  }
  for (const Rows::Formula& row : rows_.formula) {
    for (int signal : row.expression.ids()) signals.push_back(signal);
  }
  // A rate comes after what it is the rate of.
  for (std::size_t k = 0; k < signals.size(); ++k) {
    if (signals[k] >= 0 && signals_.source_of(signals[k]) >= 0) signals.push_back(signals_.source_of(signals[k]));
  }
  const auto sort = [](std::vector<int>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    list.erase(list.begin(), std::lower_bound(list.begin(), list.end(), 0));  // free variables of laws
  };
  sort(signals);
  element_signals_ = signals;

  std::vector<int>& markers = element_markers_;
  markers = builder_.used_markers;
  for (int signal : signals) {
    for (int e = 0; e < signals_.entries(signal); ++e) markers.push_back(signals_.markers_of(signal)[e]);
  }
  for (const auto* loads : {&loads_, &friction_loads_}) {
    for (const Load& load : *loads) markers.push_back(load.marker);
  }
  for (const Rows::Rolling& r : rows_.rolling) {
    markers.insert(markers.end(), {r.center, r.axis, r.spin, r.origin, r.normal, r.tangent1, r.tangent2, r.base});
  }
  for (const Rows::KnifeEdge& r : rows_.knife_edge) markers.insert(markers.end(), {r.point, r.u, r.origin, r.base});
  sort(markers);
}

void System::add_initial_rows(RowBuilder& builder) {
  const Initial& initial = model_->initial;
  const auto joint_rows = [&](const std::vector<InitialJointValue>& values, bool velocity_level,
                              const std::string& path) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      builder.begin(RowOwner::initial, static_cast<int>(k), path + model_->joints[values[k].joint].name);
      const int signal = builder.coordinates[values[k].joint][values[k].coordinate];
      builder.combination({{signal, 1}}, Expression(values[k].value), velocity_level ? "rate" : "value",
                          velocity_level);
    }
  };
  joint_rows(initial.joint_positions, false, "initial.positions.");
  joint_rows(initial.joint_rates, true, "initial.velocities.");

  static const char* const axes[] = {"x", "y", "z"};
  const int dimensions = model_->planar() ? 2 : 3;
  for (std::size_t k = 0; k < initial.placements.size(); ++k) {
    const InitialPlacement& given = initial.placements[k];
    const Body& body = model_->bodies[given.body];
    builder.begin(RowOwner::initial, static_cast<int>(k), "initial.positions." + body.name);
    for (int c = 0; given.center && c < dimensions; ++c) {
      const int signal = signals_.component(markers_.point(given.body, body.center), Vec3::Unit(c));
      builder.combination({{signal, 1}}, Expression((*given.center)[c]), axes[c]);
    }
    if (!given.angle && !given.orientation) continue;
    // The body's own axes against the given ones in the world.
    const Quaternion goal =
        given.orientation ? *given.orientation : Quaternion(Eigen::AngleAxisd(*given.angle, Vec3::UnitZ()));
    const auto own = [&](int c) { return markers_.vector(given.body, body.orientation * Vec3(Vec3::Unit(c))); };
    const auto wanted = [&](int c) { return markers_.vector(ground, goal * Vec3(Vec3::Unit(c))); };
    builder.dot(wanted(1), own(0), "angle");
    if (model_->planar()) continue;
    builder.dot(wanted(2), own(0), "tilt 1");
    builder.dot(wanted(2), own(1), "tilt 2");
  }
  for (std::size_t k = 0; k < initial.twists.size(); ++k) {
    const InitialTwist& given = initial.twists[k];
    const Body& body = model_->bodies[given.body];
    builder.begin(RowOwner::initial, static_cast<int>(k), "initial.velocities." + body.name);
    for (int c = 0; given.linear && c < dimensions; ++c) {
      const int signal = signals_.velocity(markers_.point(given.body, body.center), Vec3::Unit(c));
      builder.combination({{signal, 1}}, Expression((*given.linear)[c]), std::string("linear ") + axes[c], true);
    }
    for (int c = model_->planar() ? 2 : 0; given.angular && c < 3; ++c) {
      const int signal = signals_.velocity(markers_.rotation(given.body), Vec3::Unit(c));
      builder.combination({{signal, 1}}, Expression((*given.angular)[c]), std::string("angular ") + axes[c], true);
    }
  }
}

bool System::mass_is_sparse() const {
  // A body couples the coordinates on its way to the ground.
  const std::size_t few = 20 * model_->bodies.size();
  std::vector<int> columns;
  std::size_t sum = 0;
  // Of a long chain, no more is looked at than decides it.
  for (int body = 0; sum < few && body < static_cast<int>(model_->bodies.size()); ++body) {
    coordinates_->columns({body, MarkerKind::rotation}, columns);
    sum += columns.size();
  }
  return sum < few;
}

Equations System::empty_vectors() const {
  Equations eq;
  eq.Q = Vector::Zero(velocity_size());
  for (Vector* vector : {&eq.Phi, &eq.Phi_t, &eq.Phi_dot, &eq.gamma}) *vector = Vector::Zero(row_count());
  return eq;
}

void System::build_patterns() const {
  const int n = coordinates_->velocity_size();
  has_pattern_ = true;
  std::vector<Eigen::Triplet<double>> mass, jacobian;
  if (has_mass_matrix_) coordinates_->mass_pattern(mass);
  std::vector<int> columns;
  for (const GradientEntry& entry : rows_.entries) {
    coordinates_->columns(markers_.list[entry.marker], columns);
    for (int column : columns) jacobian.emplace_back(entry.row, column, 0);
  }
  for (int row = 0; row < coordinates_->own_rows(); ++row) {
    coordinates_->own_row_columns(row, columns);
    for (int column : columns) jacobian.emplace_back(rows_.size() + row, column, 0);
  }

  pattern_.M.resize(n, n);
  pattern_.M.setFromTriplets(mass.begin(), mass.end());
  pattern_.P.resize(row_count(), n);
  pattern_.P.setFromTriplets(jacobian.begin(), jacobian.end());
  pattern_.Q = Vector::Zero(n);
  for (Vector* vector : {&pattern_.Phi, &pattern_.Phi_t, &pattern_.Phi_dot, &pattern_.gamma})
    *vector = Vector::Zero(row_count());
  if (has_mass_matrix_) coordinates_->bind_mass(pattern_.M);

  const int* outer = pattern_.P.outerIndexPtr();
  const int* inner = pattern_.P.innerIndexPtr();
  for (const GradientEntry& entry : rows_.entries) {
    coordinates_->columns(markers_.list[entry.marker], columns);
    for (int column : columns) {
      const int* place = std::lower_bound(inner + outer[entry.row], inner + outer[entry.row + 1], column);
      slots_.push_back(static_cast<int>(place - inner));
    }
  }
  slots_.shrink_to_fit();
}

void System::evaluate(double t, ConstVector q, ConstVector v, ConstVector states, Upto upto, Equations& eq) {
  const bool velocities = upto >= Upto::velocities;
  eq.t = t;
  coordinates_->update_positions(q, markers_);
  signals_.update_positions(t, markers_);
  if (velocities) {
    coordinates_->update_velocities(q, v, markers_);
    signals_.update_velocities(markers_);
  }
  rows_.evaluate(t, markers_, signals_, velocities,
                 {eq.Phi.data(), eq.Phi_t.data(), eq.Phi_dot.data(), eq.gamma.data()});

  const bool matrices = eq.has_matrices();
  if (matrices) {
    if (!has_pattern_) build_patterns();
    double* P = eq.P.valuePtr();
    std::fill_n(P, eq.P.nonZeros(), 0.0);
    coordinates_->scatter(markers_, rows_.entries, rows_.gradients, slots_, P);
    evaluate_own_rows(q, v, eq);
  }
  if (velocities) split_velocity_rows(eq);
  if (upto < Upto::forces) return;

  if (matrices && upto == Upto::dynamics && has_mass_matrix_) coordinates_->mass(eq.M.valuePtr());
  eq.Q.setZero();
  coordinates_->inertia_forces(eq.Q);
  add_applied_forces(t, states, eq);
}

void System::evaluate_own_rows(ConstVector q, ConstVector v, Equations& eq) {
  for (int k = 0; k < coordinates_->own_rows(); ++k) {
    const int row = rows_.size() + k;
    coordinates_->own_row(k, q, v, eq.Phi[row], eq.Phi_dot[row], eq.gamma[row],
                          eq.P.valuePtr() + eq.P.outerIndexPtr()[row]);
    eq.Phi_t[row] = 0;
  }
}

void System::evaluate_matrices(double t, ConstVector q, Equations& eq) {
  if (at_rest_.size() != velocity_size() || no_states_.size() != state_size()) {
    at_rest_ = Vector::Zero(velocity_size());
    no_states_ = Vector::Zero(state_size());
  }
  // Of other rows Phi_t is zero.
  evaluate(t, q, at_rest_, no_states_, rows_.has_general_rows() ? Upto::velocities : Upto::positions, eq);
  coordinates_->mass(eq.M.valuePtr());
}

void System::evaluate_applied_forces(ConstVector q, ConstVector v, ConstVector states, Equations& eq) {
  coordinates_->update_velocities(q, v, markers_);
  signals_.update_velocities(markers_);
  eq.Q.setZero();
  add_applied_forces(eq.t, states, eq);
}

void System::complete(ConstVector q, ConstVector v, Equations& eq) {
  rows_.evaluate(eq.t, markers_, signals_, true, {eq.Phi.data(), eq.Phi_t.data(), eq.Phi_dot.data(), eq.gamma.data()});
  evaluate_own_rows(q, v, eq);
  split_velocity_rows(eq);
  coordinates_->inertia_forces(eq.Q);
}

void System::add_applied_forces(double t, ConstVector states, Equations& eq) {
  for (const auto& force : forces_) force->evaluate(context(t), loads_);
  if (coordinates_->knows_bodies()) {
    coordinates_->add_weights(eq.Q);
  } else {
    coordinates_->scatter(markers_, gravity_, eq.Q);
  }
  coordinates_->scatter(markers_, loads_, eq.Q);
  if (!friction_.empty() && !friction_.depends_on_load()) {
    friction_.evaluate(signals_, reaction_force_, states, friction_loads_);
    coordinates_->scatter(markers_, friction_loads_, eq.Q);
  }
}

void System::evaluate_elements(double t, ConstVector q, ConstVector v, ConstVector states, Equations& eq) {
  const RowValues values = {eq.Phi.data(), eq.Phi_t.data(), eq.Phi_dot.data(), eq.gamma.data()};
  eq.t = t;
  if (friction_.depends_on_load()) {
    evaluate_signals(t, q, v);
    rows_.evaluate(t, markers_, signals_, true, values);
    split_velocity_rows(eq);
  } else {
    markers_.active.swap(element_markers_);
    signals_.exchange_active(element_signals_);
    evaluate_signals(t, q, v);
    markers_.active.swap(element_markers_);
    signals_.exchange_active(element_signals_);
    rows_.evaluate_general_rows(t, markers_, signals_, values);
    if (!friction_.empty()) friction_.evaluate(signals_, reaction_force_, states, friction_loads_);
  }
  for (const auto& force : forces_) force->evaluate(context(t), loads_);
}

// Of a velocity-level row, Phi_t is the part that is free of v.
void System::split_velocity_rows(Equations& eq) const {
  if (!rows_.has_general_rows()) return;
  for (int row = 0; row < rows_.size(); ++row) {
    if (rows_.info[row].velocity_level) eq.Phi_t[row] = eq.Phi_dot[row];
  }
  for (std::size_t e = 0; e < rows_.entries.size(); ++e) {
    const auto& [row, marker] = rows_.entries[e];
    if (rows_.info[row].velocity_level) eq.Phi_t[row] -= rows_.gradients[e].dot(markers_.rate[marker]);
  }
}

void System::evaluate_signals(double t, ConstVector q, ConstVector v) {
  coordinates_->update_positions(q, markers_);
  signals_.update_positions(t, markers_);
  coordinates_->update_velocities(q, v, markers_);
  signals_.update_velocities(markers_);
}

double System::stored_energy(double t) const {
  double sum = 0;
  for (const auto& force : forces_) sum += force->potential(context(t));
  return sum;
}

double System::element_power(double t) const {
  double sum = power(loads_);
  for (const auto& force : forces_) sum += force->potential_rate(context(t));
  return sum;
}

void System::reaction_forces(ConstVector lambda) {
  for (int element = 0; element < friction_.size(); ++element) {
    const int joint = friction_.joint(element);
    reaction_force_[joint] = reaction(joint, lambda).force.norm();
  }
}

void System::add_friction(ConstVector lambda, ConstVector states, const Equations& eq, VectorRef Q) {
  Q = eq.Q;
  if (!friction_.depends_on_load()) return;
  reaction_forces(lambda);
  friction_.evaluate(signals_, reaction_force_, states, friction_loads_);
  coordinates_->scatter(markers_, friction_loads_, Q);
}

void System::add_friction_of_loads(ConstVector loads, ConstVector states, const Equations& eq, VectorRef Q) {
  Q = eq.Q;
  if (!friction_.depends_on_load()) return;
  reaction_force_ = loads;
  friction_.evaluate(signals_, reaction_force_, states, friction_loads_);
  coordinates_->scatter(markers_, friction_loads_, Q);
}

void System::add_friction_of(const JointFriction& other, const Equations& eq, VectorRef Q) {
  Q = eq.Q;
  if (!friction_.depends_on_load()) return;
  friction_.take_efforts(other, signals_, friction_loads_);
  coordinates_->scatter(markers_, friction_loads_, Q);
}

void System::state_rates(ConstVector lambda, ConstVector states, VectorRef rates) {
  if (friction_.depends_on_load()) reaction_forces(lambda);
  friction_.state_rates(signals_, reaction_force_, states, rates);
}

void System::body_states(std::vector<BodyState>& states) const {
  states.resize(model_->bodies.size());
  for (int b = 0; b < static_cast<int>(states.size()); ++b) {
    states[b].center = coordinates_->center(b);
    states[b].orientation = Quaternion(coordinates_->frame(b));
    states[b].angle = model_->bodies[b].angle + markers_.turn[b];
    states[b].velocity = center_velocity(b);
    states[b].omega = angular_velocity(b);
  }
}

void System::body_accelerations(ConstVector q, ConstVector v, ConstVector vdot, std::vector<Vec3>& linear,
                                std::vector<Vec3>& angular) {
  const std::size_t bodies = model_->bodies.size();
  linear.resize(bodies), angular.resize(bodies);
  const bool known = coordinates_->knows_bodies();
  for (std::size_t b = 0; b < bodies; ++b) {
    const int body = static_cast<int>(b);
    linear[b] = known ? coordinates_->bias(body) : markers_.bias[center_[b]];
    angular[b] = known ? coordinates_->omega_bias(body) : markers_.bias[rotation_[b]];
  }
  // Rates are linear in the velocity coordinates: those of v' are the other part of the accelerations.
  coordinates_->update_velocities(q, vdot, markers_);
  for (std::size_t b = 0; b < bodies; ++b) {
    linear[b] += center_velocity(static_cast<int>(b));
    angular[b] += angular_velocity(static_cast<int>(b));
  }
  coordinates_->update_velocities(q, v, markers_);
}

void System::acceleration_errors(ConstVector q, ConstVector v, ConstVector vdot, const Equations& eq, Vector& errors) {
  errors = -eq.gamma;
  if (eq.has_matrices()) {
    errors.noalias() += eq.P * vdot;
    return;
  }
  coordinates_->update_velocities(q, vdot, markers_);  // rates of markers are linear in velocities
  for (std::size_t e = 0; e < rows_.entries.size(); ++e)
    errors[rows_.entries[e].row] += rows_.gradients[e].dot(markers_.rate[rows_.entries[e].marker]);
  coordinates_->update_velocities(q, v, markers_);
}

std::string System::force_without_value() const {
  std::size_t load = 0;
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    for (; load < loads_end_[k]; ++load) {
      if (!loads_[load].value.allFinite()) return model_->forces[k].name;
    }
  }
  return {};
}

double System::potential_energy(double t) const {
  double sum = 0;
  for (std::size_t b = 0; b < model_->bodies.size(); ++b)
    sum -= model_->bodies[b].mass * model_->gravity.dot(coordinates_->center(static_cast<int>(b)));
  return sum + stored_energy(t);
}

double System::power(const std::vector<Load>& loads) const {
  double sum = 0;
  for (const Load& load : loads) sum += load.value.dot(markers_.rate[load.marker]);
  return sum;
}

double System::nonconservative_power(const Equations& eq, ConstVector lambda) const {
  return element_power(eq.t) + power(friction_loads_) + lambda.dot(eq.Phi_t);
}

}  // namespace bricard

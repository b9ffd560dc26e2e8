#include "analyses/run/own_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "analyses/assembly/scaled_constraints.h"
#include "bricard/input_error.h"
#include "forces/force_element.h"
#include "model/expression_builder.h"
#include "model/joint_type.h"
#include "model/method_options.h"
#include "model/row_gains.h"

namespace bricard {
namespace {

// Within these, SI units serve: everything is tried there, and few models leave them.
struct Band {
  double least, most;
};
constexpr Band ordinary_lengths = {0.01, 1000}, ordinary_masses = {1e-3, 1e5}, ordinary_durations = {0.05, 200},
               ordinary_paces = {0.02, 20};

double power_of_two_near(double value, Band band) {
  if (!(value > 0) || !std::isfinite(value) || (value >= band.least && value <= band.most)) return 1;
  return std::exp2(std::round(std::log2(value)));
}

bool is_turn(const Model& model, int joint, int coordinate) {
  const auto& kinds = find_joint_type(model.joints[static_cast<std::size_t>(joint)].type)->coordinates(model.dimension);
  return coordinate >= static_cast<int>(kinds.size()) ||
         kinds[static_cast<std::size_t>(coordinate)] == JointCoordinate::angle;
}

/// One number for an angle and a length alike has no unit that could be changed.
bool has_friction_of_mixed_units(const Model& model, const Joint& joint) {
  const auto& kinds = find_joint_type(joint.type)->coordinates(model.dimension);
  const Friction& friction = joint.friction;
  return friction.law != Friction::Law::none && kinds.size() == 2 && kinds[0] != kinds[1] &&
         (friction.viscous != 0 || friction.law == Friction::Law::dahl);
}

/// Its law may have numbers of which nobody knows the units.
bool has_unknown_units(const Force& force) {
  const CustomForce* custom = std::get_if<CustomForce>(&force.law);
  return custom && !find_force_type(custom->type)->any_units;
}

/// The characteristic length; of one body alone, whose places are all the same, its radius of gyration.
double extent(const Model& model) {
  Model enlarged;
  enlarged.points = model.points;
  for (auto& [name, place] : enlarged.points) place *= 2;
  for (const Body& body : model.bodies) enlarged.bodies.emplace_back().center = 2 * body.center;
  for (const Joint& joint : model.joints) {
    Joint& there = enlarged.joints.emplace_back();
    there.type = joint.type;
    there.at_i = 2 * joint.at_i;
    there.at_j = 2 * joint.at_j;
  }
  const double length = model.characteristic_length();
  if (enlarged.characteristic_length() != length) return length;
  double squared = 0;
  for (const Body& body : model.bodies) {
    if (body.mass > 0) squared = std::max(squared, body.inertia.trace() / body.mass);
  }
  return squared > 0 ? std::sqrt(squared) : length;
}

/// How long the mechanism takes to move by its own size: in a fall, else at its initial velocities. 0: not known.
double pace(const Model& model) {
  const double length = extent(model), gravity = model.gravity.norm();
  if (gravity > 0) return std::sqrt(length / gravity);
  double rate = 0;
  for (const InitialJointValue& given : model.initial.joint_rates)
    rate = std::max(rate, std::abs(given.value) / (is_turn(model, given.joint, given.coordinate) ? 1 : length));
  for (const InitialTwist& twist : model.initial.twists) {
    if (twist.linear) rate = std::max(rate, twist.linear->norm() / length);
    if (twist.angular) rate = std::max(rate, twist.angular->norm());
  }
  return rate > 0 ? 1 / rate : 0;
}

/// Seconds, if the pace or the duration is an ordinary one: a short run of a slow mechanism is no fast one.
double time_unit(const Model& model, const Method& method) {
  const double given = std::isnan(model.simulation.duration) ? method.duration : model.simulation.duration;
  const double of_duration = power_of_two_near(given, ordinary_durations), own_pace = pace(model);
  if (given > 0 && of_duration == 1) return 1;
  if (own_pace > 0) return power_of_two_near(own_pace, ordinary_paces);
  return of_duration == 1 ? 1 : of_duration / 8;
}

/// Measures the parts of a model.
class Measure {
 public:
  Measure(const Units& units, const Model& model) : u_(units), model_(model) {}

  void length(double& value) const { value /= u_.length; }
  void place(Vec3& value) const { value /= u_.length; }
  /// What belongs to a joint coordinate: of a turn and of a displacement.
  double by_kind(int joint, int coordinate, double turn, double displacement) const {
    return is_turn(model_, joint, coordinate) ? turn : displacement;
  }

  /// The result of an expression is in SI units and divided by `result`; variables are those of a law of springs.
  void expression(Expression& e, double result, double variable = 1, double rate = 1) const {
    e = ExpressionBuilder::in_units(
        e, u_.time, 1 / result,
        [&](const Signal& signal) {
          if (signal.quantity == Quantity::variable) return signal.target == 0 ? variable : rate;
          return size_of(signal);
        },
        [&](Signal signal) {
          place(signal.place);
          place(signal.other_place);
          return signal;
        });
  }

  void body(Body& b) const {
    b.mass /= u_.mass;
    b.inertia /= u_.inertia();
    place(b.center);
  }

  void joint(Joint& j, int index) const {
    for (Vec3* at : {&j.at_i, &j.at_j, &j.surface_at}) place(*at);
    for (double* of : {&j.pitch, &j.length, &j.radius, &j.friction.radius}) length(*of);
    if (j.joint_a >= 0 && j.joint_b >= 0)
      j.ratio *= by_kind(j.joint_a, 0, 1, u_.length) / by_kind(j.joint_b, 0, 1, u_.length);
    for (Expression& e : j.expressions) expression(e, 1);
    Friction& f = j.friction;
    if (f.law == Friction::Law::none) return;
    const auto& kinds = find_joint_type(j.type)->coordinates(model_.dimension);
    const bool slips = kinds.size() == 2 && kinds[0] != kinds[1];  // along and around: by its speed
    f.viscous /= by_kind(index, 0, u_.energy() * u_.time, u_.damping());
    f.smoothing /= slips ? u_.velocity() : by_kind(index, 0, 1 / u_.time, u_.velocity());
    f.stribeck /= slips ? u_.velocity() : by_kind(index, 0, 1 / u_.time, u_.velocity());
    f.stiffness /= by_kind(index, 0, u_.energy(), u_.stiffness());
    f.limit /= by_kind(index, 0, u_.energy(), u_.force());
  }

  void motion(Motion& m) const {
    place(m.point.place);
    expression(m.position, m.joint >= 0 ? by_kind(m.joint, m.coordinate, 1, u_.length) : u_.length);
  }

  void force(AppliedForce& f) const {
    place(f.at.place);
    for (Expression& e : f.vector) expression(e, u_.force());
  }
  void force(AppliedTorque& f) const {
    for (Expression& e : f.vector) expression(e, u_.energy());
  }
  void force(Spring& f) const {
    place(f.from.place);
    place(f.to.place);
    f.stiffness /= u_.stiffness();
    f.damping /= u_.damping();
    length(f.free_length);
    if (f.law) expression(*f.law, u_.force(), u_.length, u_.velocity());
  }
  void force(RotationalSpring& f) const {
    const auto kind = [&](double turn, double displacement) {
      return by_kind(f.joint, f.coordinate, turn, displacement);
    };
    f.stiffness /= kind(u_.energy(), u_.stiffness());
    f.damping /= kind(u_.energy() * u_.time, u_.damping());
    f.free_angle /= kind(1, u_.length);
    if (f.law) expression(*f.law, kind(u_.energy(), u_.force()), kind(1, u_.length), kind(1 / u_.time, u_.velocity()));
  }
  void force(Actuator& f) const { expression(f.value, by_kind(f.joint, f.coordinate, u_.energy(), u_.force())); }
  void force(Bushing& f) const {
    place(f.at);
    for (std::size_t k = 0; k < 6; ++k) {
      f.stiffness[k] /= k < 3 ? u_.stiffness() : u_.energy();
      f.damping[k] /= k < 3 ? u_.damping() : u_.energy() * u_.time;
    }
  }
  void force(Rotor& f) const {
    f.inertia /= u_.inertia();
    expression(f.speed, 1 / u_.time);
  }
  void force(CustomForce& f) const {
    for (Attachment& point : f.points) place(point.place);
    for (const ForceKey& key : find_force_type(f.type)->keys) {
      if (key.is_formula)
        expression(f.formulas.at(key.name), u_.size_of(key.unit));
      else
        f.numbers.at(key.name) /= u_.size_of(key.unit);
    }
  }
  void force(FunctionForce& f) const {
    place(f.at.place);
    f.function = [u = u_, in_si = std::move(f.function)](double t, BodyState body) -> Vec3 {
      body.center *= u.length;
      body.velocity *= u.velocity();
      body.omega /= u.time;
      return in_si(t * u.time, body) / u.force();
    };
  }

  void initial(Initial& start) const {
    for (InitialJointValue& v : start.joint_positions) v.value /= by_kind(v.joint, v.coordinate, 1, u_.length);
    for (InitialJointValue& v : start.joint_rates)
      v.value /= by_kind(v.joint, v.coordinate, 1 / u_.time, u_.velocity());
    for (InitialPlacement& p : start.placements) {
      if (p.center) place(*p.center);
    }
    for (InitialTwist& t : start.twists) {
      if (t.linear) *t.linear /= u_.velocity();
      if (t.angular) *t.angular *= u_.time;
    }
  }

 private:
  double size_of(const Signal& signal) const {
    switch (signal.quantity) {
      case Quantity::angle:
      case Quantity::angle2:
      case Quantity::variable: return 1;
      case Quantity::position:
      case Quantity::x:
      case Quantity::y:
      case Quantity::z:
      case Quantity::distance: return u_.length;
      case Quantity::rate: return by_kind(signal.target, 0, 1 / u_.time, u_.velocity());
      case Quantity::rate2: return by_kind(signal.target, 1, 1 / u_.time, u_.velocity());
      case Quantity::vx:
      case Quantity::vy:
      case Quantity::vz: return u_.velocity();
      case Quantity::wx:
      case Quantity::wy:
      case Quantity::wz: return 1 / u_.time;
    }
    return 1;
  }

  const Units u_;
  const Model& model_;
};

}  // namespace

Units own_units(const Model& model, const Method& method) {
  // Rows of lengths, angles and the model's own formulas: nothing here knows the units of their multipliers.
  if (model.bodies.empty() || method.row_columns.value_or(model.simulation.row_columns.value_or(false))) return {};
  for (const Joint& joint : model.joints) {
    if (has_friction_of_mixed_units(model, joint)) return {};
  }
  if (std::any_of(model.forces.begin(), model.forces.end(), has_unknown_units)) return {};
  Units units;
  units.length = power_of_two_near(extent(model), ordinary_lengths);
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass / static_cast<double>(model.bodies.size());
  units.mass = power_of_two_near(mass, ordinary_masses);
  units.time = time_unit(model, method);
  return units;
}

std::shared_ptr<const Model> measured_in(const Units& units, const Model& model, const Method& method) {
  auto own = std::make_shared<Model>(model);
  const Measure measure(units, model);
  own->gravity /= units.acceleration();
  for (auto& [name, place] : own->points) measure.place(place);
  for (Body& body : own->bodies) measure.body(body);
  for (std::size_t k = 0; k < own->joints.size(); ++k) measure.joint(own->joints[k], static_cast<int>(k));
  for (Motion& motion : own->motions) measure.motion(motion);
  for (Force& force : own->forces) {
    std::visit([&](auto& law) { measure.force(law); }, force.law);
  }
  measure.initial(own->initial);
  Method given;  // as where nothing is said, in s
  given.duration = method.duration;
  given.complete_from({.duration = method_defaults().duration, .output_step = method_defaults().output_step});
  own->simulation.complete_from(given);
  own->simulation = measured_in(units, own->simulation);
  for (auto& [name, expression] : own->outputs) measure.expression(expression, 1);
  return own;
}

Method measured_in(const Units& units, Method method) {
  const auto size = [&units](MeasuredIn what) {
    switch (what) {
      case MeasuredIn::time: return units.time;
      case MeasuredIn::rate: return 1 / units.time;
      case MeasuredIn::length: return units.length;
      case MeasuredIn::nothing: break;
    }
    return 1.0;
  };
  for (const MethodOption& option : method_options()) {
    if (const auto* number = std::get_if<double Method::*>(&option.member))
      method.*(*number) /= size(option.measured_in);
  }
  const bool absolute = method.penalty_kind == "absolute";
  if (absolute) method.penalty /= units.mass;
  method.row_gains = row_gains_in(units, method.row_gains, absolute);
  if (method.threshold_kind == "absolute") method.threshold *= std::sqrt(units.mass);
  return method;
}

// --- OwnUnits ---

OwnUnits::OwnUnits(std::shared_ptr<const Model> model, const Method& method)
    : model_(std::move(model)), units_(own_units(*model_, method)) {
  require_valid(method);  // here, where its numbers are still as they were given
  require_valid(model_->simulation);
  if (!differ()) return;
  auto own = std::make_shared<Model>(*measured_in(units_, *model_, method));
  own_ = own;
  // What formulas of constraints measure (a product of lengths?) is not known, only how fast it changes with positions.
  const bool any = std::any_of(own->joints.begin(), own->joints.end(),
                               [](const Joint& joint) { return !joint.expressions.empty(); });
  if (!any) return;
  System system(std::make_shared<Model>(*own), *find_coordinates_type("reference-point"));
  Vector q(system.position_size());
  system.coordinates().reference(q);
  const ScaledConstraints rows(system, q, Vector::Zero(system.velocity_size()));
  for (std::size_t k = 0; k < own->joints.size(); ++k) {
    Joint& joint = own->joints[k];
    if (joint.expressions.empty()) continue;
    const auto [first, last] = system.reactions().rows_of_joint(static_cast<int>(k));
    const double size = rows.row_length().segment(first, last - first).maxCoeff();
    const double factor = 1 / power_of_two_near(size, {1e-2, 1e2});
    for (Expression& e : joint.expressions) {
      e = ExpressionBuilder::in_units(
          e, 1, factor, [](const Signal&) { return 1.0; }, [](const Signal& signal) { return signal; });
    }
    formulas_[joint.name] = factor;
  }
}

double OwnUnits::size_of_coordinate(int joint, int coordinate) const {
  return is_turn(*model_, joint, coordinate) ? 1 : units_.length;
}

double OwnUnits::size_of(const std::string& column) const {
  const auto named = [](const auto& things, const std::string& name) {
    const auto found =
        std::find_if(things.begin(), things.end(), [&](const auto& thing) { return thing.name == name; });
    return found == things.end() ? -1 : static_cast<int>(found - things.begin());
  };
  for (const auto& [name, expression] : model_->outputs) {
    if (name == column) return 1;
  }
  if (column == "time") return units_.time;
  const std::size_t dot = column.rfind('.');
  if (dot == std::string::npos) return 1;
  const std::string owner = column.substr(0, dot), what = column.substr(dot + 1);
  if (named(model_->bodies, owner) >= 0) {
    if (what == "x" || what == "y" || what == "z") return units_.length;
    if (what == "vx" || what == "vy" || what == "vz") return units_.velocity();
    if (what == "omega" || what[0] == 'w') return 1 / units_.time;
    if (what == "ax" || what == "ay" || what == "az") return units_.acceleration();
    if (what.starts_with("alpha")) return 1 / (units_.time * units_.time);
    return 1;
  }
  if (what == "power") return units_.power();
  const int joint = named(model_->joints, owner), motion = named(model_->motions, owner);
  if (joint >= 0) {
    if (what.size() == 2 && what[0] == 'f') return units_.force();
    if (what.size() == 2 && what[0] == 'm') return units_.energy();
    if (what.starts_with("power")) return units_.power();
    const Joint& of = model_->joints[static_cast<std::size_t>(joint)];
    const double unit = size_of_coordinate(joint, what.ends_with("2") ? 1 : 0);
    if (what.starts_with("angle")) return 1;  // the second coordinate where a joint also slides
    if (what == "position") return units_.length;
    if (what.starts_with("rate")) return unit / units_.time;
    if (what.starts_with("friction")) return units_.energy() / unit;
    if (what.starts_with("effort")) {
      // Of a gear: a torque or a force on the second coordinate; of a constraint: energy by what its formula measures.
      if (const auto formula = formulas_.find(owner); formula != formulas_.end())
        return units_.energy() * formula->second;
      return units_.energy() / (of.joint_b >= 0 ? size_of_coordinate(of.joint_b, 0) : unit);
    }
    return 1;
  }
  if (motion >= 0 && what == "effort") {
    const Motion& of = model_->motions[static_cast<std::size_t>(motion)];
    return units_.energy() / (of.joint >= 0 ? size_of_coordinate(of.joint, of.coordinate) : units_.length);
  }
  if (owner == "energy") return units_.energy();
  // Norms over rows of lengths and of angles, which are lengths for the most part.
  if (column == "constraint.position") return units_.length;
  if (column == "constraint.velocity") return units_.velocity();
  if (column == "constraint.acceleration") return units_.acceleration();
  return 1;
}

Vector OwnUnits::sizes_of(const std::vector<std::string>& columns) const {
  Vector sizes(static_cast<int>(columns.size()));
  for (int k = 0; k < sizes.size(); ++k) sizes[k] = size_of(columns[static_cast<std::size_t>(k)]);
  return sizes;
}

void OwnUnits::to_si(std::string& text) const {
  static const std::regex numbers(
      R"((\b(?:t =|at|step of|open by) )?([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)( (?:N m|N/m|N|m/s|m|s|J|kg|1/s|rad/s)(?![A-Za-z0-9/]))?)");
  static const std::map<std::string, double (*)(const Units&)> sizes = {
      {" N m", [](const Units& u) { return u.energy(); }},   {" N/m", [](const Units& u) { return u.stiffness(); }},
      {" N", [](const Units& u) { return u.force(); }},      {" m/s", [](const Units& u) { return u.velocity(); }},
      {" m", [](const Units& u) { return u.length; }},       {" s", [](const Units& u) { return u.time; }},
      {" J", [](const Units& u) { return u.energy(); }},     {" kg", [](const Units& u) { return u.mass; }},
      {" 1/s", [](const Units& u) { return 1 / u.time; }},   {" rad/s", [](const Units& u) { return 1 / u.time; }},
      {"t = ", [](const Units& u) { return u.time; }},       {"step of ", [](const Units& u) { return u.time; }},
      {"open by ", [](const Units& u) { return u.length; }},
  };
  std::string result;
  auto from = text.cbegin();
  for (std::sregex_iterator match(text.cbegin(), text.cend(), numbers), none; match != none; ++match) {
    const std::smatch& found = *match;
    result.append(from, found[0].first);
    from = found[0].second;
    auto size = sizes.find(found[3].str());
    if (!found[3].matched) size = sizes.find(found[1].str());
    if (size == sizes.end()) {
      result += found[0].str();
    } else {
      result +=
          found[1].str() + fmt::format("{:.6g}", std::stod(found[2].str()) * size->second(units_)) + found[3].str();
    }
  }
  result.append(from, text.cend());
  text = std::move(result);
}

void OwnUnits::to_si(std::vector<std::string>& texts) const {
  for (std::string& text : texts) to_si(text);
}

void OwnUnits::to_si(std::vector<Displacement>& moved) const {
  for (Displacement& displacement : moved) displacement.distance *= units_.length;
}

void OwnUnits::to_si(std::vector<BodyState>& bodies) const {
  for (BodyState& body : bodies) {
    body.center *= units_.length;
    body.velocity *= units_.velocity();
    body.omega /= units_.time;
  }
}

void OwnUnits::to_si(const CoordinatesType& coordinates, Vector& q, Vector& v) const {
  if (q.size() == 0 && v.size() == 0) return;
  const System system(own_, coordinates);
  for (int k = 0; k < q.size(); ++k) q[k] *= system.coordinates().is_length(k) ? units_.length : 1;
  for (int k = 0; k < v.size(); ++k) v[k] *= (system.coordinates().is_rotation(k) ? 1 : units_.length) / units_.time;
}

void OwnUnits::to_si(Assembly& assembly, const CoordinatesType& coordinates) const {
  to_si(coordinates, assembly.q, assembly.v);
  to_si(assembly.bodies);
  assembly.position_error *= units_.length;
  assembly.velocity_error *= units_.velocity();
  for (OpenConstraint& open : assembly.open) open.error *= units_.length;
  to_si(assembly.moved);
  to_si(assembly.message);
}

void OwnUnits::to_si(Summary& summary) const {
  to_si(summary.failure);
  to_si(summary.chosen.reason);
  summary.chosen.method = method_to_si(summary.chosen.method);
  for (Rescue& rescue : summary.rescues) {
    rescue.time *= units_.time;
    to_si(rescue.what);
  }
  to_si(summary.moved_by_assembly);
  summary.time *= units_.time;
  summary.constraint_position_max *= units_.length;
  summary.constraint_velocity_max *= units_.velocity();
  summary.energy_drift *= units_.energy();
  summary.energy_scale *= units_.energy();
  if (summary.final.size() > 0) summary.final = summary.final.cwiseProduct(sizes_of(summary.columns));
  to_si(summary.notes.convention);
  to_si(summary.messages);
}

InputError OwnUnits::in_si(const InputError& error) const {
  if (error.diagnostics.empty()) {
    std::string text = error.what();
    to_si(text);
    return InputError(text);
  }
  std::vector<Diagnostic> found = error.diagnostics;
  for (Diagnostic& diagnostic : found) to_si(diagnostic.message);
  return InputError(std::move(found));
}

// --- SinkInSi ---

void SinkInSi::describe(const RunDescription& run) {
  ChosenMethod chosen = run.chosen;
  chosen.method = own_.method_to_si(chosen.method);
  own_.to_si(chosen.reason);
  ResultNotes notes = run.notes;
  own_.to_si(notes.convention);
  sink_.describe({model_, chosen, run.structure, notes});
}

void SinkInSi::begin(const std::vector<std::string>& columns) {
  sizes_ = own_.sizes_of(columns);
  sink_.begin(columns);
}

void SinkInSi::row(const Vector& values) {
  values_ = values.cwiseProduct(sizes_);
  sink_.row(values_);
}

}  // namespace bricard

#include "joints/row_builder.h"

#include <type_traits>

namespace bricard {

RowBuilder::RowBuilder(const Model& model, Markers& markers, Signals& signals, Rows& rows)
    : coordinates(model.joints.size()),
      reactions(model.joints.size()),
      model_(model),
      markers_(markers),
      signals_(signals),
      rows_(rows) {}

void RowBuilder::begin(RowOwner owner, int index, const std::string& name) {
  owner_ = owner;
  index_ = index;
  name_ = name;
  laws_are_rows_ = owner == RowOwner::joint || owner == RowOwner::motion;
  law_owner_ = owner == RowOwner::motion  ? "motion " + model_.motions[index].name
               : owner == RowOwner::joint ? "constraint " + model_.joints[index].name
                                          : "";
}

void RowBuilder::finish() {
  const auto forget = [](auto&... lists) { ((lists = std::remove_reference_t<decltype(lists)>()), ...); };
  forget(coordinates, reactions, used, used_markers, laws, labels_, known_);
  markers_.finish();
  signals_.finish();
  rows_.shrink();
}

int RowBuilder::add_row(const std::string& name, bool velocity_level) {
  const auto [known, is_new] =
      labels_.emplace(name_.empty() ? name : name_ + ": " + name, static_cast<int>(rows_.labels.size()));
  if (is_new) rows_.labels.push_back(known->first);
  rows_.info.push_back({.index = index_, .label = known->second, .owner = owner_, .velocity_level = velocity_level});
  return rows_.size() - 1;
}

int RowBuilder::add_entries(int row, std::initializer_list<int> markers) {
  const int first = static_cast<int>(rows_.entries.size());
  for (int marker : markers) rows_.entries.push_back({row, marker});
  rows_.gradients.resize(rows_.entries.size(), Vec3::Zero());
  return first;
}

void RowBuilder::add_signal_entries(int row, int signal) {
  for (int e = 0; e < signals_.entries(signal); ++e) rows_.entries.push_back({row, signals_.markers_of(signal)[e]});
  rows_.gradients.resize(rows_.entries.size(), Vec3::Zero());
}

void RowBuilder::coincide(int i, int j) {
  static const char* const names[] = {"x", "y", "z"};
  const int dimensions = planar() ? 2 : 3;
  for (int k = 0; k < dimensions; ++k) {
    const int row = add_row(names[k]);
    if (k == 0) rows_.coincide.push_back({row, i, j, dimensions});
    const int entry = add_entries(row, {i, j});
    rows_.gradients[entry] = -Vec3::Unit(k);
    rows_.gradients[entry + 1] = Vec3::Unit(k);
  }
}

void RowBuilder::dot(int u, int w, const std::string& name, double constant) {
  const int row = add_row(name);
  rows_.dot.push_back({row, u, w, constant, add_entries(row, {u, w})});
}

void RowBuilder::along(int u, int from, int to, const std::string& name, double constant) {
  const int row = add_row(name);
  rows_.along.push_back({row, u, from, to, constant, add_entries(row, {u, from, to})});
}

void RowBuilder::distance(int from, int to, double length) {
  const int row = add_row("distance");
  rows_.distance.push_back({row, from, to, length, add_entries(row, {from, to})});
}

void RowBuilder::combination(std::vector<Rows::Term> terms, const Expression& law, const std::string& name,
                             bool velocity_level) {
  const int row = add_row(name, velocity_level);
  const int entry = static_cast<int>(rows_.entries.size());
  for (const Rows::Term& term : terms) add_signal_entries(row, term.signal);
  rows_.combination.push_back({row, std::move(terms), law.is_constant() ? bind(law) : act(law), velocity_level, entry});
}

void RowBuilder::formula(const Expression& expression, const std::string& name) {
  BoundExpression bound = act(expression);
  const int row = add_row(name, expression.uses_velocity());
  const int entry = static_cast<int>(rows_.entries.size());
  for (int signal : bound.ids()) add_signal_entries(row, signal);
  rows_.formula.push_back({row, std::move(bound), expression.uses_velocity(), entry});
}

void RowBuilder::rolling(const Rows::Rolling& disc) {
  Rows::Rolling r = disc;
  r.row = add_row("contact");
  const int slip1 = add_row("no slip 1", true), slip2 = add_row("no slip 2", true);
  r.entry = add_entries(r.row, {r.normal, r.origin, r.center, r.axis});
  add_entries(slip1, {r.center, r.spin, r.origin, r.base});
  add_entries(slip2, {r.center, r.spin, r.origin, r.base});
  reaction_at({.rolling = static_cast<int>(rows_.rolling.size())});
  rows_.rolling.push_back(r);
}

void RowBuilder::knife_edge(const Rows::KnifeEdge& edge) {
  Rows::KnifeEdge r = edge;
  r.row = add_row("no sideways velocity", true);
  r.entry = add_entries(r.row, {r.point, r.origin, r.base});
  rows_.knife_edge.push_back(r);
}

void RowBuilder::axes_parallel(const Joint& joint) {
  const AxisFrame frame(joint.axis_i);
  const int axis = vector(joint.j, joint.axis_j);
  dot(vector(joint.i, frame.first), axis, "axis perpendicular 1");
  dot(vector(joint.i, frame.second), axis, "axis perpendicular 2");
}

void RowBuilder::no_twist(const Joint& joint) {
  const AxisFrame frame(joint.axis_i);
  dot(vector(joint.i, frame.first), vector(joint.j, frame.second), "no rotation about axis");
}

void RowBuilder::on_axis(const Joint& joint) {
  const AxisFrame frame(joint.axis_i);
  const int from = point(joint.i, joint.at_i), to = point(joint.j, joint.at_j);
  along(vector(joint.i, frame.first), from, to, "across axis 1");
  along(vector(joint.i, frame.second), from, to, "across axis 2");
}

void RowBuilder::measure_angle(const Joint& joint) {
  const AxisFrame frame(planar() ? Vec3(Vec3::UnitZ()) : joint.axis_i);
  measure(signals_.angle(vector(joint.i, frame.first), vector(joint.i, frame.second), vector(joint.j, frame.first)));
}

void RowBuilder::measure_position(const Joint& joint) {
  measure(signals_.along(vector(joint.i, joint.axis_i), point(joint.i, joint.at_i), point(joint.j, joint.at_j),
                         joint.axis_i.dot(joint.at_j - joint.at_i)));
}

int RowBuilder::find(const Signal& signal) {
  if (signal.quantity == Quantity::variable) return -1 - signal.target;
  for (const auto& [known, id] : known_) {
    if (known == signal) return id;
  }
  const auto coordinate = [&](std::size_t k) { return coordinates[signal.target][k]; };
  const auto unit = [&](Quantity first) {
    return Vec3(Vec3::Unit(static_cast<int>(signal.quantity) - static_cast<int>(first)));
  };
  // Of a cylindrical joint, whose coordinates are (position, angle), `angle` is the second.
  const auto angle = [&] { return coordinate(find_coordinate(signal.target, JointCoordinate::angle)); };
  int id = -1;
  switch (signal.quantity) {
    case Quantity::angle: id = angle(); break;
    case Quantity::position: id = coordinate(0); break;
    case Quantity::angle2: id = coordinate(1); break;
    case Quantity::rate: id = signals_.rate_of(coordinate(0)); break;
    case Quantity::rate2: id = signals_.rate_of(coordinate(1)); break;
    case Quantity::x:
    case Quantity::y:
    case Quantity::z: id = signals_.component(point(signal.target, signal.place), unit(Quantity::x)); break;
    case Quantity::vx:
    case Quantity::vy:
    case Quantity::vz: id = signals_.velocity(point(signal.target, signal.place), unit(Quantity::vx)); break;
    case Quantity::wx:
    case Quantity::wy:
    case Quantity::wz: id = signals_.velocity(rotation(signal.target), unit(Quantity::wx)); break;
    case Quantity::distance:
      id = signals_.distance(point(signal.target, signal.place), point(signal.other_target, signal.other_place));
      break;
    case Quantity::variable: break;
  }
  known_.emplace_back(signal, id);
  return id;
}

std::size_t RowBuilder::find_coordinate(int joint, JointCoordinate kind) const {
  const auto& kinds = find_joint_type(model_.joints[joint].type)->coordinates(model_.dimension);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (kinds[k] == kind) return k;
  }
  return 0;
}

BoundExpression RowBuilder::bind(const Expression& expression) {
  std::vector<int> ids;
  for (const Signal& signal : expression.signals()) ids.push_back(find(signal));
  return {expression, std::move(ids)};
}

BoundExpression RowBuilder::act(const Expression& expression) {
  BoundExpression bound = bind(expression);
  if (!law_owner_.empty() && (expression.switch_count() > 0 || expression.uses_time()))
    laws.push_back({bound, law_owner_, laws_are_rows_, -1, 0});
  return bound;
}

}  // namespace bricard

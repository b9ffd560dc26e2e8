#include "joints/fundamental_circuits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "bricard/input_error.h"

namespace bricard {
namespace {

constexpr double same_line = 1e-6;  // relative to the model's size; directions: sine of the angle

Vec3 axis_of(const Model& model, const Joint& joint) { return model.planar() ? Vec3(Vec3::UnitZ()) : joint.axis_i; }

bool are_parallel(const Vec3& a, const Vec3& b) { return a.cross(b).norm() < same_line; }

std::string level_name(int level) {
  std::string name(1, static_cast<char>('a' + level % 26));
  return level < 26 ? name : level_name(level / 26 - 1) + name;
}

}  // namespace

bool TurningPairs::Level::has(int vertex) const {
  return std::find(vertices.begin(), vertices.end(), vertex) != vertices.end();
}

TurningPairs::TurningPairs(const Model& model)
    : model_(model), length_(model.characteristic_length()), vertex_(model.bodies.size() + 1) {
  // A vertex is called by the first of its bodies, the ground before all.
  std::vector<int> first(vertex_.size());  // of body b at b + 1; leads to the first by steps
  std::iota(first.begin(), first.end(), 0);
  const auto first_of = [&](int k) {
    while (first[k] != k) k = first[k] = first[first[k]];
    return k;
  };
  for (const Joint& joint : model.joints) {
    if (!type_of(joint).rigid()) continue;
    const int a = first_of(joint.i + 1), b = first_of(joint.j + 1);
    first[std::max(a, b)] = std::min(a, b);
  }
  for (std::size_t b = 0; b < vertex_.size(); ++b) vertex_[b] = first_of(static_cast<int>(b)) - 1;
  const auto same = [&](const Joint& a, const Joint& b) {
    const Vec3 u = axis_of(model, a);
    return are_parallel(u, axis_of(model, b)) && u.cross(b.at_i - a.at_i).norm() < same_line * length_;
  };
  // A pair joins the levels that have its line on one of its bodies: none, one, or two that it makes one. That one
  // takes the place of the first.
  std::vector<std::set<std::size_t>> levels_at(vertex_.size());  // places of the levels of each vertex
  for (int k = 0; k < static_cast<int>(model.joints.size()); ++k) {
    const Joint& joint = model.joints[k];
    const int i = vertex(joint.i), j = vertex(joint.j);
    if (!is_turning_pair(joint) || i == j) continue;
    std::set<std::size_t> met;
    for (int v : {i, j}) {
      for (std::size_t l : levels_at[v + 1]) {
        if (same(model.joints[levels_[l].joints.front()], joint)) met.insert(l);
      }
    }
    Level grown{{}, {i, j}};
    std::set<int> known{i, j};
    std::size_t place = levels_.size();
    for (std::size_t l : met) {
      Level& level = levels_[l];
      place = std::min(place, l);
      grown.joints.insert(grown.joints.end(), level.joints.begin(), level.joints.end());
      for (int v : level.vertices) {
        levels_at[v + 1].erase(l);
        if (known.insert(v).second) grown.vertices.push_back(v);
      }
      level = {};
    }
    grown.joints.push_back(k);
    for (int v : grown.vertices) levels_at[v + 1].insert(place);
    if (place == levels_.size()) levels_.emplace_back();
    levels_[place] = std::move(grown);
  }
  std::erase_if(levels_, [](const Level& level) { return level.joints.empty(); });
}

std::string TurningPairs::level(int joint) const {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const std::vector<int>& joints = levels_[l].joints;
    if (std::find(joints.begin(), joints.end(), joint) != joints.end()) return level_name(static_cast<int>(l));
  }
  return {};
}

const std::string& TurningPairs::vertex_name(int vertex) const { return model_.body_name(vertex); }

std::vector<TurningPairs::Candidate> TurningPairs::candidates(const Joint& pair) const {
  const int i = vertex(pair.i), j = vertex(pair.j);
  std::vector<Candidate> found;
  for (int a = 0; a < static_cast<int>(levels_.size()); ++a) {
    if (!levels_[a].has(i)) continue;
    for (int b = 0; b < static_cast<int>(levels_.size()); ++b) {
      if (a == b || !levels_[b].has(j)) continue;
      for (int k : levels_[a].vertices) {
        if (k != i && k != j && levels_[b].has(k)) found.push_back({a, b, k});
      }
    }
  }
  return found;
}

// The shortest chain of turning pairs of a level, by breadth-first search.
std::vector<TurningStep> TurningPairs::path(int level, int from, int to, const Vec3& axis) const {
  std::map<int, TurningStep> reached{{from, {}}};
  std::vector<int> queue{from};
  for (std::size_t head = 0; head < queue.size() && !reached.contains(to); ++head) {
    for (int k : levels_[level].joints) {
      const Joint& joint = model_.joints[k];
      const int i = vertex(joint.i), j = vertex(joint.j);
      if (i != queue[head] && j != queue[head]) continue;
      const double along = axis_of(model_, joint).dot(axis) > 0 ? 1 : -1;
      const int next = i == queue[head] ? j : i;
      if (reached.emplace(next, TurningStep{k, next == j ? along : -along}).second) queue.push_back(next);
    }
  }
  std::vector<TurningStep> steps;
  for (int at = to; at != from;) {
    const TurningStep& step = reached.at(at);
    steps.push_back(step);
    const Joint& joint = model_.joints[step.joint];
    at = vertex(joint.i) == at ? vertex(joint.j) : vertex(joint.i);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

// On which side of the apex a bevel gear is, seen along its axis: its centre of mass tells, else where it is borne.
std::optional<double> TurningPairs::side(int gear, const Joint& bearing, const Vec3& apex, const Vec3& axis) const {
  const double of_bearing = axis.dot(bearing.at_i - apex);
  const double of_center = gear == ground ? 0 : axis.dot(model_.bodies[gear].center - apex);
  for (double distance : {of_center, of_bearing}) {
    if (std::abs(distance) > same_line * length_) return distance > 0 ? 1 : -1;
  }
  return std::nullopt;
}

// Directions of both axes: the same for parallel ones; those of the gears' joints where `ratio` is given for others;
// from the apex of the pitch cones to the gears where the ratio follows from teeth. With the cones' half angles d_i and
// d_j the teeth have the velocity w_i sin(d_i) = -w_j sin(d_j) about axes from the apex, as spur gears have with radii.
std::string TurningPairs::orient(const Joint& pair, const Candidate& found, FundamentalCircuit& circuit) const {
  const auto bearing = [&](int level, int gear) -> const Joint& {
    for (int k : levels_[level].joints) {
      if (vertex(model_.joints[k].i) == gear || vertex(model_.joints[k].j) == gear) return model_.joints[k];
    }
    return model_.joints[levels_[level].joints.front()];
  };
  const Joint &of_i = bearing(found.level_i, vertex(pair.i)), &of_j = bearing(found.level_j, vertex(pair.j));
  circuit.axis_i = axis_of(model_, of_i);
  circuit.axis_j = axis_of(model_, of_j);
  circuit.parallel = are_parallel(circuit.axis_i, circuit.axis_j);
  if (circuit.parallel) {
    circuit.axis_j = circuit.axis_i;
    return {};
  }
  if (!pair.from_teeth) return {};
  const Vec3 &u = circuit.axis_i, &w = circuit.axis_j, d = of_j.at_i - of_i.at_i, n = u.cross(w);
  if (std::abs(n.normalized().dot(d)) > same_line * length_)
    return "the axes of the gears do not meet, so teeth do not tell their ratio; give 'ratio'";
  const Vec3 apex = of_i.at_i + d.cross(w).dot(n) / n.squaredNorm() * u;
  const std::optional<double> side_i = side(pair.i, of_i, apex, u), side_j = side(pair.j, of_j, apex, w);
  if (!side_i || !side_j) {
    return fmt::format("'{}' is at the point where the axes meet, so teeth do not tell the sign; give 'ratio'",
                       model_.body_name(side_i ? pair.j : pair.i));
  }
  circuit.axis_i *= *side_i;
  circuit.axis_j *= *side_j;
  return {};
}

TurningPairs::Search TurningPairs::circuit(int gear_pair) const {
  const Joint& pair = model_.joints[gear_pair];
  std::vector<Candidate> found = candidates(pair);
  const std::string gears = fmt::format("'{}' and '{}'", model_.body_name(pair.i), model_.body_name(pair.j));
  if (pair.carrier != any_body) {
    std::erase_if(found, [&](const Candidate& candidate) { return candidate.vertex != vertex(pair.carrier); });
    if (found.empty()) {
      return {{},
              fmt::format("{} do not both turn on '{}': its joints with them, or with what is coaxial with them, "
                          "must be revolute",
                          gears, model_.body_name(pair.carrier))};
    }
  }
  if (found.empty())
    return {{}, fmt::format("no body carries the axes of both {}: both must turn on one by revolute joints", gears)};
  for (const Candidate& other : found) {
    if (other.level_i == found.front().level_i && other.level_j == found.front().level_j) continue;
    return {{},
            fmt::format("both '{}' and '{}' carry axes of {}; say which with 'carrier'",
                        vertex_name(found.front().vertex), vertex_name(other.vertex), gears)};
  }
  FundamentalCircuit circuit;
  circuit.joint = gear_pair;
  circuit.gear_i = pair.i, circuit.gear_j = pair.j;
  circuit.ratio = pair.ratio;
  if (std::string problem = orient(pair, found.front(), circuit); !problem.empty()) return {{}, problem};
  circuit.level_i = level_name(found.front().level_i);
  circuit.level_j = level_name(found.front().level_j);
  // Several bodies that carry the same two axes move as one: the nearest serves.
  std::size_t shortest = 0;
  for (const Candidate& candidate : found) {
    auto path_i = path(candidate.level_i, candidate.vertex, vertex(pair.i), circuit.axis_i);
    auto path_j = path(candidate.level_j, candidate.vertex, vertex(pair.j), circuit.axis_j);
    const std::size_t steps = path_i.size() + path_j.size();
    if (shortest > 0 && steps >= shortest) continue;
    shortest = steps;
    circuit.carrier = pair.carrier != any_body ? pair.carrier : candidate.vertex;
    circuit.path_i = std::move(path_i);
    circuit.path_j = std::move(path_j);
  }
  return {circuit, {}};
}

std::vector<FundamentalCircuit> fundamental_circuits(const Model& model) {
  std::vector<FundamentalCircuit> circuits;
  if (std::none_of(model.joints.begin(), model.joints.end(), [](const Joint& j) { return type_of(j).gear_mesh; }))
    return circuits;  // most models: nothing to look for
  const TurningPairs pairs(model);
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    if (!type_of(model.joints[k]).gear_mesh) continue;
    TurningPairs::Search search = pairs.circuit(static_cast<int>(k));
    if (!search.circuit) throw InputError("joint " + model.joints[k].name + ": " + search.problem);
    circuits.push_back(std::move(*search.circuit));
  }
  return circuits;
}

std::string circuits_table(const Model& model) {
  std::vector<std::vector<std::string>> rows{{"circuit", "gear i", "gear j", "transfer vertex", "ratio", "levels"}};
  for (const FundamentalCircuit& circuit : fundamental_circuits(model)) {
    rows.push_back({model.joints[circuit.joint].name, model.body_name(circuit.gear_i), model.body_name(circuit.gear_j),
                    model.body_name(circuit.carrier), fmt::format("{:.6g}", circuit.ratio),
                    circuit.level_i + ", " + circuit.level_j});
  }
  if (rows.size() == 1) return {};
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      std::size_t width = 0;
      for (const auto& other : rows) width = std::max(width, other[column].size());
      line += column + 1 < row.size() ? fmt::format("{:<{}}  ", row[column], width) : row[column];
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace bricard

#include "dynamics/closing/loop_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "coordinates/spanning_tree.h"

namespace bricard {

LoopGraph::LoopGraph(const System& system) : planar_(system.model().planar()) {
  if (!system.coordinates().spanning_tree()) {
    problem = fmt::format(
        "closing conditions are between joint coordinates, and coordinates '{}' are not those of a "
        "tree; use coordinates 'relative'",
        system.coordinates_type().name);
    return;
  }
  unite_rigid_bodies(system.model());
  edge_of_coordinate.assign(system.velocity_size(), -1);
  add_tree(system);
  if (problem.empty()) add_closing_joints(system);
  if (problem.empty()) add_relations(system);
}

void LoopGraph::unite_rigid_bodies(const Model& model) {
  const int bodies = static_cast<int>(model.bodies.size());
  std::vector<int> united(bodies + 1);
  std::iota(united.begin(), united.end(), 0);
  const auto slot = [&](int body) { return body == ground ? bodies : body; };
  for (const Joint& joint : model.joints) {
    if (!type_of(joint).rigid()) continue;
    const int kept = united[slot(joint.i)], gone = united[slot(joint.j)];
    std::replace(united.begin(), united.end(), gone, kept);
  }
  node_of_body_.assign(bodies + 1, -1);
  for (int body = 0; body <= bodies; ++body) {
    int& of_first = node_of_body_[united[body]];
    if (of_first < 0) of_first = nodes++;
    node_of_body_[body] = of_first;
  }
}

int LoopGraph::add_edge(int from, int to, const ElementaryLink& link, const std::string& name) {
  if (link.kind == ElementaryLink::Kind::screw || link.kind == ElementaryLink::Kind::ball) {
    problem = fmt::format("joint '{}' {}, for which there is no closing condition", name,
                          link.kind == ElementaryLink::Kind::screw ? "is a screw"
                                                                   : "turns freely about a point in the "
                                                                     "tree (a universal joint, or "
                                                                     "'cut: true', would serve)");
  }
  edges.push_back({from, to, link.kind == ElementaryLink::Kind::slide, link.place, link.place,
                   link.direction.normalized(), -1, -1, 1, name});
  return static_cast<int>(edges.size()) - 1;
}

/// Joint coordinates that turn or slide alone are measured by signals.
void LoopGraph::measure(const System& system, int joint, int first_edge, double sign) {
  const std::vector<int>& signals = system.joint_coordinates()[joint];
  const auto& kinds = type_of(system.model().joints[joint]).coordinates(system.model().dimension);
  for (std::size_t k = 0; k < signals.size(); ++k) {
    const bool slides = kinds[k] == JointCoordinate::position;
    const auto fits = [&](const LoopEdge& edge) { return edge.slides == slides; };
    if (std::count_if(edges.begin() + first_edge, edges.end(), fits) != 1) continue;
    const auto edge = std::find_if(edges.begin() + first_edge, edges.end(), fits);
    edge->signal = signals[k], edge->signal_sign = sign;
  }
}

void LoopGraph::add_tree(const System& system) {
  const Model& model = system.model();
  int coordinate = 0;
  for (const TreeEdge& tree_edge : system.coordinates().spanning_tree()->edges) {
    const int first = static_cast<int>(edges.size());
    const bool floats = tree_edge.joint < 0;
    const std::string& name = floats ? model.bodies[tree_edge.body].name : model.joints[tree_edge.joint].name;
    int from = node(tree_edge.parent);
    for (std::size_t k = 0; k < tree_edge.links.size(); ++k) {
      const int to = k + 1 < tree_edge.links.size() ? nodes++ : node(tree_edge.body);
      const int edge = add_edge(from, to, tree_edge.links[k], name);
      if (!problem.empty()) return;
      edges[edge].coordinate = coordinate;
      edge_of_coordinate[coordinate++] = edge;
      from = to;
    }
    if (!floats) measure(system, tree_edge.joint, first, model.joints[tree_edge.joint].j == tree_edge.body ? 1 : -1);
  }
}

void LoopGraph::add_closing_joints(const System& system) {
  const Model& model = system.model();
  const SpanningTree& tree = *system.coordinates().spanning_tree();
  // What the rows of a joint without links say: one of these kinds alone is understood.
  std::vector<int> rows(model.joints.size(), 0), pins = rows, rods = rows;
  for (const RowInfo& row : system.rows()) {
    if (row.owner == RowOwner::joint) ++rows[row.index];
  }
  const Rows& table = system.row_table();
  const auto& markers = system.markers().list;
  for (const Rows::Along& row : table.along) {
    const RowInfo& info = table.info[row.row];
    if (info.owner != RowOwner::joint) continue;
    const Joint& joint = model.joints[info.index];
    if (planar_ && markers[row.u].body == joint.i && markers[row.from].body == joint.i) ++pins[info.index];
  }
  for (const Rows::Distance& row : table.distance) {
    if (table.info[row.row].owner == RowOwner::joint) ++rods[table.info[row.row].index];
  }
  std::vector<bool> in_relation(model.joints.size(), false);
  for (const Rows::Combination& row : table.combination) {
    if (table.info[row.row].owner == RowOwner::joint) in_relation[table.info[row.row].index] = true;
  }
  for (int k = 0; k < static_cast<int>(model.joints.size()) && problem.empty(); ++k) {
    const Joint& joint = model.joints[k];
    const JointType& type = type_of(joint);
    if (tree.in_tree[k] || type.rigid() || in_relation[k]) continue;
    const int first = static_cast<int>(edges.size()), i = node(joint.i), j = node(joint.j);
    const auto links = tree_links(model, joint, false);
    if (links && links->size() == 1 && links->front().kind == ElementaryLink::Kind::ball) {
      pairs.push_back({i, j, joint.at_i, joint.at_j, 0, joint.name});
    } else if (links) {
      int from = i;
      for (std::size_t l = 0; l < links->size() && problem.empty(); ++l) {
        const int to = l + 1 < links->size() ? nodes++ : j;
        add_edge(from, to, (*links)[l], joint.name);
        from = to;
      }
      measure(system, k, first, 1);
    } else if (rows[k] == 1 && pins[k] == 1) {
      const int slot = nodes++;
      add_edge(i, slot, {ElementaryLink::Kind::slide, joint.at_i, joint.axis_i}, joint.name);
      const int pin = add_edge(slot, j, {ElementaryLink::Kind::turn, joint.at_i}, joint.name);
      edges[pin].at_to = joint.at_j;
      measure(system, k, first, 1);
    } else if (rows[k] == 1 && rods[k] == 1) {
      if (!planar_) {
        pairs.push_back({i, j, joint.at_i, joint.at_j, joint.length, joint.name});
        continue;
      }
      // The rod lies along x in its own reference configuration.
      const int rod = nodes++;
      add_edge(i, rod, {ElementaryLink::Kind::turn, joint.at_i}, joint.name);
      const int end = add_edge(rod, j, {ElementaryLink::Kind::turn, joint.at_j}, joint.name);
      edges[end].at_from = joint.at_i + joint.length * Vec3::UnitX();
    } else {
      problem =
          fmt::format("joint '{}' ({}) closes a loop, and its closing condition is not known", joint.name, joint.type);
    }
  }
}

void LoopGraph::add_relations(const System& system) {
  const Rows& table = system.row_table();
  const auto refuse = [&](int row) {
    problem =
        fmt::format("constraint '{}' is no loop of joints: there is no closing condition for it", system.row_name(row));
  };
  for (const Rows::Combination& row : table.combination) {
    LoopRelation relation{{}, row.law, system.row_name(row.row)};
    for (const Rows::Term& term : row.terms) {
      const auto edge =
          std::find_if(edges.begin(), edges.end(), [&](const LoopEdge& e) { return e.signal == term.signal; });
      if (edge == edges.end()) return refuse(row.row);
      relation.terms.emplace_back(edge - edges.begin(), edge->signal_sign * term.coefficient);
    }
    if (row.velocity_level) return refuse(row.row);
    relations.push_back(std::move(relation));
  }
  for (const Rows::Formula& row : table.formula) return refuse(row.row);
  for (const Rows::Rolling& row : table.rolling) return refuse(row.row);
  for (const Rows::KnifeEdge& row : table.knife_edge) return refuse(row.row);
}

}  // namespace bricard

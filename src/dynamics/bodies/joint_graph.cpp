#include "dynamics/bodies/joint_graph.h"

#include <algorithm>
#include <set>

namespace bricard {
namespace {

/// A row of the system and what it is made of.
struct RowSource {
  enum class Kind { none, coincide, dot, along, distance, general } kind = Kind::none;
  int index = 0;
};

std::vector<RowSource> row_sources(const Rows& rows) {
  std::vector<RowSource> sources(rows.size());
  const auto note = [&](RowSource::Kind kind, const auto& list) {
    for (std::size_t k = 0; k < list.size(); ++k) sources[list[k].row] = {kind, static_cast<int>(k)};
  };
  note(RowSource::Kind::coincide, rows.coincide);
  note(RowSource::Kind::dot, rows.dot);
  note(RowSource::Kind::along, rows.along);
  note(RowSource::Kind::distance, rows.distance);
  note(RowSource::Kind::general, rows.combination);
  note(RowSource::Kind::general, rows.formula);
  note(RowSource::Kind::general, rows.rolling);
  note(RowSource::Kind::general, rows.knife_edge);
  for (const Rows::Coincide& r : rows.coincide) {
    for (int k = 1; k < r.dimensions; ++k) sources[r.row + k].kind = RowSource::Kind::coincide;
  }
  for (const Rows::Rolling& r : rows.rolling) {
    sources[r.row + 1].kind = sources[r.row + 2].kind = RowSource::Kind::general;
  }
  return sources;
}

/// The rows of one joint or motion; at most as many as a block may have.
struct RowsOfJoint {
  int first = 0, rows = 0;
  bool general = false;
  std::vector<int> bodies;  // without the ground, ascending
};

std::vector<RowsOfJoint> group_rows(const System& system, const std::vector<RowSource>& sources) {
  const Rows& rows = system.row_table();
  std::vector<std::vector<int>> bodies_of_row(rows.size());
  for (const GradientEntry& entry : rows.entries) {
    const int body = system.markers().list[entry.marker].body;
    if (body != ground) bodies_of_row[entry.row].push_back(body);
  }
  std::vector<RowsOfJoint> joint_blocks;
  for (int row = 0; row < rows.size(); ++row) {
    const RowInfo& info = rows.info[row];
    const bool general = sources[row].kind == RowSource::Kind::general;
    const bool continues = !joint_blocks.empty() && info.owner == rows.info[row - 1].owner &&
                           info.index == rows.info[row - 1].index && joint_blocks.back().general == general &&
                           joint_blocks.back().rows < BlockSchedule::most_rows;
    if (!continues) joint_blocks.push_back({row, 0, general, {}});
    RowsOfJoint& joint_block = joint_blocks.back();
    ++joint_block.rows;
    joint_block.bodies.insert(joint_block.bodies.end(), bodies_of_row[row].begin(), bodies_of_row[row].end());
  }
  for (RowsOfJoint& joint_block : joint_blocks) {
    std::sort(joint_block.bodies.begin(), joint_block.bodies.end());
    joint_block.bodies.erase(std::unique(joint_block.bodies.begin(), joint_block.bodies.end()),
                             joint_block.bodies.end());
  }
  return joint_blocks;
}

}  // namespace

std::string JointGraph::misfit(const System& system) {
  if (std::string(system.coordinates_type().name) != "reference-point")
    return "the coordinates are not reference-point";
  for (const Body& body : system.model().bodies) {
    if (!(body.mass > 0)) return "body " + body.name + " has no mass";
    const bool regular = system.model().planar()
                             ? body.inertia(2, 2) > 0
                             : body.inertia.llt().info() == Eigen::Success && body.inertia.llt().rcond() > 1e-10;
    if (!regular) return "body " + body.name + " has no inertia about an axis";
  }
  return {};
}

JointGraph::JointGraph(const System& system)
    : JointGraph(system, static_cast<int>(system.model().bodies.size()),
                 [](const std::vector<int>& joined) { return joined; }) {
  list_pairs();
}

JointGraph::JointGraph(const System& system, int nodes, const Reach& reach)
    : dimensions(system.model().planar() ? 2 : 3),
      angular(system.model().planar() ? 1 : 3),
      bodies(static_cast<int>(system.model().bodies.size())) {
  const Rows& rows = system.row_table();
  const Markers& markers = system.markers();
  const std::vector<RowSource> sources = row_sources(rows);
  const std::vector<RowsOfJoint> found = group_rows(system, sources);

  std::vector<std::vector<int>> groups_of_node(nodes);
  std::vector<int> sizes;
  for (std::size_t g = 0; g < found.size(); ++g) {
    sizes.push_back(found[g].rows);
    for (int node : reach(found[g].bodies)) groups_of_node[node].push_back(static_cast<int>(g));
  }
  std::vector<std::pair<int, int>> coupled;
  for (const std::vector<int>& list : groups_of_node) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) coupled.emplace_back(list[i], list[j]);
    }
  }
  schedule = BlockSchedule(sizes, coupled);

  std::vector<int> group_at(found.size());
  for (std::size_t g = 0; g < found.size(); ++g) group_at[schedule.position(static_cast<int>(g))] = static_cast<int>(g);
  joint_blocks.reserve(found.size());
  simple = true;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const RowsOfJoint& source = found[group_at[k]];
    JointBlock joint_block;
    joint_block.rows = source.rows;
    joint_block.start = schedule.column(static_cast<int>(k)).start;
    joint_block.general = source.general;
    joint_block.extras = static_cast<int>(extras.size());
    joint_block.jacobian = static_cast<int>(jacobian.size());
    bool unit_linear = !source.general;
    std::array<Vec3, 2> points = {Vec3::Zero(), Vec3::Zero()};
    const auto own = [&](int body) { return body == ground ? bodies : body; };

    if (!source.general) {
      // Two bodies, of which one may be the ground; the one of the first marker is i.
      int side_body[2] = {-1, -1};
      const auto place = [&](int marker) {
        const Marker& m = markers.list[marker];
        const int body = own(m.body);
        int side = 0;
        while (side < 2 && side_body[side] != body && side_body[side] != -1) ++side;
        if (side < 2) side_body[side] = body;
        return Place{static_cast<signed char>(side)};
      };
      const auto local = [&](int marker) { return markers.list[marker].local; };
      for (int row = source.first; row < source.first + source.rows; ++row) {
        const int index = sources[row].index;
        switch (sources[row].kind) {
          case RowSource::Kind::coincide: {
            if (row != source.first) break;  // the other components
            const Rows::Coincide& r = rows.coincide[index];
            joint_block.coincide = true;
            place(r.i), place(r.j);
            points = {local(r.i), local(r.j)};
            break;
          }
          case RowSource::Kind::dot: {
            const Rows::Dot& r = rows.dot[index];
            const bool same = static_cast<int>(extras.size()) > joint_block.extras && row > 0 &&
                              sources[row - 1].kind == RowSource::Kind::dot &&
                              rows.dot[sources[row - 1].index].w == r.w;
            const Place a = place(r.u), b = place(r.w);
            extras.push_back({Kind::dot, same, a, b, {}});
            geometry.extras.push_back({local(r.u), local(r.w), Vec3::Zero(), r.constant});
            break;
          }
          case RowSource::Kind::along: {
            const Rows::Along& r = rows.along[index];
            const Place a = place(r.u), b = place(r.from), c = place(r.to);
            extras.push_back({Kind::along, false, a, b, c});
            geometry.extras.push_back({local(r.u), local(r.from), local(r.to), r.constant});
            unit_linear = false;
            break;
          }
          default: {
            const Rows::Distance& r = rows.distance[index];
            const Place b = place(r.from), c = place(r.to);
            extras.push_back({Kind::distance, false, b, b, c});
            geometry.extras.push_back({local(r.from), local(r.from), local(r.to), r.length});
            unit_linear = false;
            break;
          }
        }
      }
      unit_linear = unit_linear && joint_block.coincide;
      for (int side = 0; side < 2; ++side) joint_block.body[side] = side_body[side] < 0 ? bodies : side_body[side];
      for (int side = 0; side < 2; ++side)
        jacobian.push_back({joint_block.body[side], static_cast<int>(k), side == 0 ? -1.0 : 1.0});
    } else {
      for (int body : source.bodies) jacobian.push_back({body, static_cast<int>(k), 1.0});
      has_general_rows = true;
    }
    joint_block.jacobian_end = static_cast<int>(jacobian.size());
    joint_block.extras_end = static_cast<int>(extras.size());
    for (int jacobian_block = joint_block.jacobian; jacobian_block < joint_block.jacobian_end; ++jacobian_block) {
      jacobian[jacobian_block].angular = angular_size;
      angular_size += BlockSchedule::padded(joint_block.rows) * angular;
      if (unit_linear) continue;
      jacobian[jacobian_block].linear = linear_size;
      linear_size += BlockSchedule::padded(joint_block.rows) * dimensions;
    }
    simple = simple && unit_linear;
    for (int row = 0; row < BlockSchedule::padded(source.rows); ++row)
      system_row.push_back(row < source.rows ? source.first + row : -1);
    joint_blocks.push_back(joint_block);
    geometry.points.push_back(points);
  }
  simple = simple && schedule.common_size() > 0;
}

void JointGraph::list_pairs() {
  std::vector<std::vector<int>> jacobian_of_body(bodies);
  for (std::size_t jacobian_block = 0; jacobian_block < jacobian.size(); ++jacobian_block) {
    if (jacobian[jacobian_block].body < bodies)
      jacobian_of_body[jacobian[jacobian_block].body].push_back(static_cast<int>(jacobian_block));
  }
  std::set<int> destinations;
  for (const std::vector<int>& list : jacobian_of_body) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {  // joint blocks ascend along the list
        const int destination = schedule.offset(jacobian[list[i]].joint_block, jacobian[list[j]].joint_block);
        pairs.push_back({list[i], list[j], destination, destinations.insert(destination).second});
      }
    }
  }
  const auto fit = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  fit(extras, jacobian, pairs, system_row);
}

}  // namespace bricard

#include "dynamics/tree/tree_loops.h"

#include <algorithm>
#include <map>

namespace bricard {

double least_mobility(const Model& model) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.mass;
  const double length = std::max(1.0, model.characteristic_length());
  return 1e-10 / (mass * length * length);
}

/// From two links inwards: the ways to where they meet, and from there on to the ground.
LoopTopology::Ways LoopTopology::ways(const TreeLinks& tree, int a, int b) {
  Ways ways;
  // Parents have smaller numbers.
  while (a != b) {
    const int side = a > b ? 0 : 1;
    int& outer = side == 0 ? a : b;
    ways.sides[side].push_back(outer);
    outer = tree.list[outer].parent;
  }
  for (; a != 0; a = tree.list[a].parent) ways.trunk.push_back(a);
  return ways;
}

LoopTopology::LoopTopology(const System& system, TreeDynamics& tree)
    : topology([&] {
        const TreeLinks links_of_tree(system.model(), *system.coordinates().spanning_tree());
        const auto reach = [&](const std::vector<int>& bodies) {
          // Two bodies, or one and the ground.
          const int a = links_of_tree.link_of_body[bodies.front()],
                    b = bodies.size() > 1 ? links_of_tree.link_of_body[bodies.back()] : 0;
          const Ways found = ways(links_of_tree, a, b);
          std::vector<int> nodes = found.trunk;
          for (const std::vector<int>& side : found.sides) nodes.insert(nodes.end(), side.begin(), side.end());
          return nodes;
        };
        return JointGraph(system, static_cast<int>(links_of_tree.list.size()), reach);
      }()) {
  const TreeLinks given(system.model(), *system.coordinates().spanning_tree());
  Vector reference(system.position_size());
  system.coordinates().reference(reference);
  tree.place(reference.data());
  tree.locate();

  // Bodies become the links that they belong to: places on them in the links' frames.
  std::vector<int> port_of_link(given.list.size(), -1);
  const int ground_body = topology.bodies;
  const auto link_of = [&](int body) { return body == ground_body ? 0 : given.link_of_body[body]; };
  for (const JointGraph::JacobianBlock& jacobian_block : topology.jacobian) {
    int& port = port_of_link[link_of(jacobian_block.body)];
    if (port >= 0 || link_of(jacobian_block.body) == 0) continue;
    port = static_cast<int>(ports.size());
    ports.push_back(link_of(jacobian_block.body));
  }
  port_of_link[0] = static_cast<int>(ports.size());
  const auto localize = [&](int body, bool is_point, Vec3& local) {
    if (body == ground_body) return;
    const Body& source = system.model().bodies[body];
    const LinkMotion link = tree.motion_of(link_of(body));
    local = source.orientation * local;
    if (is_point) local += source.center - link.place;
    local = link.frame.transpose() * local;
  };
  std::vector<int> link_of_jacobian_block;
  for (std::size_t g = 0; g < topology.joint_blocks.size(); ++g) {
    JointGraph::JointBlock& joint_block = topology.joint_blocks[g];
    for (int side = 0; side < 2; ++side) localize(joint_block.body[side], true, topology.geometry.points[g][side]);
    for (int e = joint_block.extras; e < joint_block.extras_end; ++e) {
      const JointGraph::Extra& extra = topology.extras[e];
      JointGraph::Geometry::Extra& places = topology.geometry.extras[e];
      const bool dot = extra.kind == JointGraph::Kind::dot;
      localize(joint_block.body[extra.a.side], false, places.a);
      localize(joint_block.body[extra.b.side], !dot, places.b);
      if (!dot) localize(joint_block.body[extra.c.side], true, places.c);
    }
    for (int& body : joint_block.body) body = port_of_link[link_of(body)];
  }
  for (JointGraph::JacobianBlock& jacobian_block : topology.jacobian) {
    link_of_jacobian_block.push_back(link_of(jacobian_block.body));
    jacobian_block.body = port_of_link[link_of(jacobian_block.body)];
  }
  topology.bodies = static_cast<int>(ports.size());

  std::vector<int> first_velocity(given.list.size() + 1, 0);
  for (std::size_t k = 1; k < given.list.size(); ++k)
    first_velocity[k + 1] = first_velocity[k] + given.list[k].link.velocities();
  struct Visit {
    int loop, Z;
  };
  std::vector<std::vector<Visit>> visits(given.list.size());  // of each link
  for (const JointGraph::JointBlock& joint_block : topology.joint_blocks) {
    Loop loop;
    loop.rows = joint_block.rows;
    loop.width = strand_width(joint_block.rows);
    loop.jacobian = joint_block.jacobian;
    loop.wrenches = wrenches_size;
    loop.velocities = static_cast<int>(velocities.size());
    loop.Z = Z_size;
    const Ways found =
        ways(given, link_of_jacobian_block[joint_block.jacobian], link_of_jacobian_block[joint_block.jacobian + 1]);
    const int wrench_size = (topology.angular + topology.dimensions) * loop.width;
    const auto add_strand = [&](const std::vector<int>& way, int trunk, bool is_first) {
      const int first_link = static_cast<int>(links.size()), first_Z = Z_size;
      for (int link : way) {
        visits[link].push_back({static_cast<int>(loops.size()), Z_size});
        links.push_back(link);
        for (int v = first_velocity[link]; v < first_velocity[link + 1]; ++v) velocities.push_back(v);
        Z_size += loop.width * (first_velocity[link + 1] - first_velocity[link]);
      }
      if (!way.empty() || trunk >= 0)
        strands.push_back(
            {first_link, static_cast<int>(links.size()), loop.width, wrenches_size, first_Z, trunk, is_first});
      wrenches_size += wrench_size;
    };
    const int trunk = found.trunk.empty() ? -1 : wrenches_size + 2 * wrench_size;
    add_strand(found.sides[0], trunk, true);
    add_strand(found.sides[1], trunk, false);
    if (trunk >= 0) add_strand(found.trunk, -1, false);
    loop.count = static_cast<int>(velocities.size()) - loop.velocities;
    loops.push_back(loop);
  }
  // Links in common that follow each other on both ways are one piece.
  std::map<int, std::size_t> last_piece;  // of each block
  for (std::size_t link = visits.size() - 1; link > 0; --link) {
    const int count = first_velocity[link + 1] - first_velocity[link];
    for (const Visit& column : visits[link]) {
      for (const Visit& row : visits[link]) {
        if (row.loop <= column.loop) continue;
        const Loop &of_row = loops[row.loop], &of_column = loops[column.loop];
        const int destination = topology.schedule.offset(row.loop, column.loop);
        const auto [piece, is_new] = last_piece.try_emplace(destination, common.size());
        if (!is_new) {
          Common& before = common[piece->second];
          if (before.row_Z + before.count * before.row_width == row.Z &&
              before.column_Z + before.count * before.column_width == column.Z) {
            before.count += count;
            continue;
          }
          piece->second = common.size();
        }
        common.push_back(
            {of_row.rows, of_column.rows, of_row.width, of_column.width, row.Z, column.Z, count, destination, is_new});
      }
    }
  }
  no_mobility = least_mobility(system.model());
  const auto fit = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  fit(links, velocities, ports, loops, common, strands);
}

}  // namespace bricard

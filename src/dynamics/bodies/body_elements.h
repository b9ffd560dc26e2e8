// What a System evaluates for the kernel of its bodies: loads of forces and friction, and general rows (drives, gears,
// expressions, rolling). Lists of where they go are made once.
#pragma once

#include <vector>

#include "dynamics/bodies/joint_graph.h"
#include "dynamics/bodies/space.h"
#include "system/system.h"

namespace bricard {

template <int D>
class BodyElements {
 public:
  using Space = graph::Space<D, double>;
  using Vec = typename Space::Vec;
  using Ang = typename Space::Ang;

  /// A gradient of a general row: on which Jacobian block and row of it.
  struct GeneralEntry {
    int entry, jacobian_block, row;
    bool operator==(const GeneralEntry&) const = default;
  };

  BodyElements(System& system, const JointGraph& graph)
      : system_(system),
        graph_(graph),
        exist_(system.has_forces() || graph.has_general_rows || !system.friction().empty()) {
    if (graph.has_general_rows) list_general_entries();
  }

  bool exist() const { return exist_; }
  const std::vector<GeneralEntry>& general_entries() const { return general_; }

  // --- after System::evaluate_elements() ---
  /// add(body, force, moment about its centre) for all loads, but for friction that FrictionSolver adds.
  template <class Add>
  void each_load(const Add& add) const {
    for (const Load& load : system_.loads()) add_load(load, add);
    if (system_.friction_depends_on_load()) return;
    for (const Load& load : system_.friction_loads()) add_load(load, add);
  }
  /// add(number of the entry, force, moment about the centre)
  template <class Add>
  void each_gradient(const Add& add) const {
    const Rows& rows = system_.row_table();
    for (std::size_t k = 0; k < general_.size(); ++k) {
      const int marker = rows.entries[general_[k].entry].marker;
      const Vec3& gradient = rows.gradients[general_[k].entry];
      const bool is_point = system_.markers().list[marker].kind == MarkerKind::point;
      add(k, Space::vec(is_point ? gradient : Vec3(Vec3::Zero())), angular_part(turning(marker, gradient)));
    }
  }
  /// action(row of the graph, row of the system)
  template <class Action>
  void each_general_row(const Action& action) const {
    for (const auto& joint_block : graph_.joint_blocks) {
      for (int row = joint_block.start; joint_block.general && row < joint_block.start + joint_block.rows; ++row)
        action(row, graph_.system_row[row]);
    }
  }
  /// Of everything without a potential. `multiplier(row of the graph)`
  template <class Multiplier>
  double power(double t, const Equations& eq, const Multiplier& multiplier) const {
    double sum = system_.element_power(t) + system_.friction_power();
    const Rows& rows = system_.row_table();
    each_general_row([&](int row, int source) {
      sum += multiplier(row) * (rows.info[source].velocity_level ? eq.Phi_dot : eq.Phi_t)[source];
    });
    // Of a velocity-level row only the part of its residual that is free of v counts.
    for (const GeneralEntry& general : general_) {
      const GradientEntry& entry = rows.entries[general.entry];
      if (!rows.info[entry.row].velocity_level) continue;
      const int row = graph_.joint_blocks[graph_.jacobian[general.jacobian_block].joint_block].start + general.row;
      sum -= multiplier(row) * rows.gradients[general.entry].dot(system_.markers().rate[entry.marker]);
    }
    return sum;
  }

 private:
  void list_general_entries() {
    std::vector<int> row_here(system_.row_count());
    for (int row = 0; row < graph_.rows(); ++row) {
      if (graph_.system_row[row] >= 0) row_here[graph_.system_row[row]] = row;
    }
    std::vector<int> joint_block_of(graph_.rows());
    for (std::size_t g = 0; g < graph_.joint_blocks.size(); ++g) {
      const auto& joint_block = graph_.joint_blocks[g];
      for (int r = 0; r < joint_block.rows; ++r) joint_block_of[joint_block.start + r] = static_cast<int>(g);
    }
    const Rows& rows = system_.row_table();
    for (std::size_t e = 0; e < rows.entries.size(); ++e) {
      const int row = row_here[rows.entries[e].row], body = system_.markers().list[rows.entries[e].marker].body;
      const auto& joint_block = graph_.joint_blocks[joint_block_of[row]];
      if (!joint_block.general || body == ground) continue;
      int jacobian_block = joint_block.jacobian;
      while (graph_.jacobian[jacobian_block].body != body) ++jacobian_block;
      general_.push_back({static_cast<int>(e), jacobian_block, row - joint_block.start});
    }
  }
  /// The moment of a gradient or load on a marker about its body's centre.
  Vec3 turning(int marker, const Vec3& value) const {
    const Markers& markers = system_.markers();
    switch (markers.list[marker].kind) {
      case MarkerKind::point:
        return (markers.value[marker] - system_.coordinates().center(markers.list[marker].body)).cross(value);
      case MarkerKind::vector: return markers.value[marker].cross(value);
      default: return value;
    }
  }
  static Ang angular_part(const Vec3& value) {
    if constexpr (D == 2) {
      return value.z();
    } else {
      return {value.x(), value.y(), value.z()};
    }
  }
  template <class Add>
  void add_load(const Load& load, const Add& add) const {
    const Marker& marker = system_.markers().list[load.marker];
    if (marker.body == ground) return;
    const bool is_force = marker.kind == MarkerKind::point;
    add(marker.body, Space::vec(is_force ? load.value : Vec3(Vec3::Zero())),
        angular_part(turning(load.marker, load.value)));
  }

  const System& system_;
  const JointGraph& graph_;
  const bool exist_;
  std::vector<GeneralEntry> general_;
};

}  // namespace bricard

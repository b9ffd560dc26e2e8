// Joints that close loops on a tree, in time linear in the links on their way to each other:
//   Z = W P^T,   S = P M^-1 P^T = Z^T Z,   S lambda = Z^T z + P a - gamma,   z := z - Z lambda [tree_dynamics.h]
// with a the accelerations of bodies while the joints' are zero. A row has entries of Z at the links between the two
// bodies that it joins and the ground; S couples loops that have links in common, and is factorised like that of a
// graph.
#pragma once

#include <algorithm>
#include <vector>

#include "dynamics/bodies/joint_rows.h"
#include "dynamics/tree/tree_dynamics.h"
#include "linear/block/delassus.h"

namespace bricard {

/// A row may move nothing in the tree: what rounding leaves of it is measured by the others of its joint, or by what
/// moves all, far below what a row can move that moves anything.
inline constexpr double rounding_of_rows = 1e-8;
double least_mobility(const Model& model);

/// The structure: index work, done once.
struct LoopTopology {
  LoopTopology(const System& system, TreeDynamics& tree);

  struct Loop {
    int rows = 0, width = 0;
    int jacobian = 0;               // the first of two
    int wrenches = 0;               // offset of those on the first side, then those on the other and those on the trunk
    int velocities = 0, count = 0;  // of all its strands
    int Z = 0;                      // offset; `width` numbers a velocity
  };
  /// Velocities that two sides have in common: a part of the block of S at `destination`.
  struct Common {
    int rows = 0, columns = 0;            // of the block
    int row_width = 0, column_width = 0;  // of Z
    int row_Z = 0, column_Z = 0, count = 0;
    int destination = 0;
    bool first = true;  // of those with this destination
  };

  std::vector<int> links;       // on the ways from ends of loops inwards
  std::vector<int> velocities;  // of those links
  std::vector<int> ports;       // links that loops hold on to; the topology's bodies
  std::vector<Loop> loops;      // in the order of the topology's joint blocks
  std::vector<Common> common;
  std::vector<StrandPath> strands;
  int Z_size = 0, wrenches_size = 0;
  double no_mobility = 0;  // least_mobility()
  JointGraph topology;

 private:
  struct Ways {
    std::vector<int> sides[2], trunk;
  };
  static Ways ways(const TreeLinks& tree, int a, int b);
};

template <int D>
class TreeLoops : public JointRows<D, double> {
 public:
  using Rows = JointRows<D, double>;
  using S = typename Rows::S;

  /// `velocities`: of the tree; `redundant`: rows that depend on others everywhere.
  TreeLoops(const LoopTopology& loops, TreeDynamics& tree, int velocities, int redundant)
      : Rows(loops.topology, {&loops.topology}),
        loops_(loops),
        tree_(tree),
        wrenches_(loops.wrenches_size),
        Z_(loops.Z_size),
        z_(velocities),
        delassus_(loops.topology.schedule, redundant) {
    for (int port = 0; port <= Rows::bodies(); ++port) {
      if constexpr (D == 2) {
        Rows::body(port).root = 1;
      } else {
        Rows::body(port).root = S::ground_frame();
      }
    }
    take_motion(tree_.motion_of(0), Rows::body(Rows::bodies()));
    write_unit_forces();
  }

  const std::vector<int>& system_row() const { return topology_.system_row; }
  /// Accelerations of rows depend on the places of links, which the tree finds on request.
  bool needs_places() const {
    return std::any_of(topology_.extras.begin(), topology_.extras.end(),
                       [](const auto& row) { return row.kind != JointGraph::Kind::dot; });
  }
  /// Takes the places and motions of the links from the tree.
  void take_motions() {
    if constexpr (D == 2) {
      tree_.motions_of(loops_.ports, planar_motions_.data());
      for (int port = 0; port < Rows::bodies(); ++port) {
        const PlanarLinkMotion& motion = planar_motions_[port];
        typename Rows::Body& body = Rows::body(port);
        body.frame = {motion.cosine, motion.sine};
        body.center = {motion.place[0], motion.place[1]};
        body.velocity = {motion.velocity[0], motion.velocity[1]};
        body.omega = motion.omega;
        body.free = {motion.acceleration[0], motion.acceleration[1]};
        body.free_turn = 0;
      }
    } else {
      for (int port = 0; port < Rows::bodies(); ++port)
        take_motion(tree_.motion_of(loops_.ports[port]), Rows::body(port));
    }
  }

  Delassus<double>& delassus() { return delassus_; }
  /// S of P, for the tree's last factorisation. False if it is singular.
  bool factorize() {
    return delassus_.factorize([this] { assemble(); });
  }
  /// x for a right side, with the factors at hand.
  void solve(const double* right, double* x) { delassus_.solve(right, x, applied()); }
  /// The same, of least norm where rows are left out; the factors are others afterwards.
  bool solve_least_norm(const double* right, double* x) {
    return delassus_.solve_least_norm([this] { assemble(); }, right, x, applied());
  }

  /// y += Z^T z
  void add_transposed(const double* z, double* y) const {
    each_loop([=, this](auto rows, auto width, int k) {
      using Part = Parts<width.value>;
      const LoopTopology::Loop& loop = loops_.loops[k];
      const typename Part::Lanes* Z = Part::of(Z_.data() + loop.Z);
      const int* const velocities = loops_.velocities.data() + loop.velocities;
      typename Part::Lanes sums[Part::count] = {};
      for (int v = 0; v < loop.count; ++v, Z += Part::count) {
        for (int p = 0; p < Part::count; ++p) sums[p] += Z[p] * z[velocities[v]];
      }
      double* const own = y + topology_.joint_blocks[k].start;
      const int count = rows.value > 0 ? rows.value : loop.rows;
      for (int r = 0; r < count; ++r) own[r] += sums[r / Part::lanes][r % Part::lanes];
    });
  }
  /// z -= Z x
  void subtract(const double* x, double* z) const {
    each_loop([=, this](auto rows, auto width, int k) {
      using Part = Parts<width.value>;
      const LoopTopology::Loop& loop = loops_.loops[k];
      const double* const own = x + topology_.joint_blocks[k].start;
      const int count = rows.value > 0 ? rows.value : loop.rows;
      typename Part::Lanes factors[Part::count] = {};
      for (int r = 0; r < count; ++r) factors[r / Part::lanes][r % Part::lanes] = own[r];
      const typename Part::Lanes* Z = Part::of(Z_.data() + loop.Z);
      const int* const velocities = loops_.velocities.data() + loop.velocities;
      for (int v = 0; v < loop.count; ++v, Z += Part::count) {
        typename Part::Lanes products = Z[0] * factors[0];
        for (int p = 1; p < Part::count; ++p) products += Z[p] * factors[p];
        z[velocities[v]] -= Part::sum(products);
      }
    });
  }

 private:
  using Rows::topology_;
  /// y = S x = Z^T Z x
  auto applied() {
    return [this](const double* x, double* y) {
      std::fill(z_.begin(), z_.end(), 0.0);
      subtract(x, z_.data());
      std::fill_n(y, Rows::rows(), 0.0);
      add_transposed(z_.data(), y);
      for (int row = 0; row < Rows::rows(); ++row) y[row] = -y[row];
    };
  }
  void assemble() {
    each_loop([this](auto rows, auto width, int k) { this->template write_wrenches<rows.value, width.value>(k); });
    tree_.reduce_strands(loops_.strands, loops_.links.data(), wrenches_.data(), Z_.data());
    delassus_.clear_fill();
    each_loop([this](auto rows, auto width, int k) { this->template square<rows.value, width.value>(k); });
    each_rows([this](auto rows) {
      for (const LoopTopology::Common& common : loops_.common) multiply_common<rows.value>(common);
    });
  }
  /// The numbers of a strand in vectors that processors have: eight are two of four.
  template <int Width>
  struct Parts {
    static constexpr int lanes = std::min(Width, 4), count = Width / lanes;
    using Lanes = typename Strand<lanes>::Lanes;
    static const Lanes* of(const double* numbers) { return reinterpret_cast<const Lanes*>(numbers); }
    static double sum(const Lanes& a) {
      if constexpr (lanes == 2) {
        return a[0] + a[1];
      } else {
        const auto halves = __builtin_shufflevector(a, a, 0, 1) + __builtin_shufflevector(a, a, 2, 3);
        return halves[0] + halves[1];
      }
    }
  };
  template <int N>
  struct Constant {
    static constexpr int value = N;
  };
  /// action(rows of every loop as a constant, 0 if they differ)
  template <class Action>
  void each_rows(const Action& action) const {
    if (topology_.simple && topology_.schedule.common_size() == D) return action(Constant<D>());
    if (topology_.simple && topology_.schedule.common_size() == D + 2) return action(Constant<D + 2>());
    action(Constant<0>());
  }
  /// action(rows, their width, loop)
  template <class Action>
  void each_loop(const Action& action) const {
    const int count = static_cast<int>(loops_.loops.size());
    each_rows([&](auto rows) {
      for (int k = 0; k < count; ++k) {
        if constexpr (rows.value > 0) {
          action(rows, Constant<strand_width(rows.value)>(), k);
        } else {
          switch (loops_.loops[k].width) {
            case 2: action(rows, Constant<2>(), k); break;
            case 4: action(rows, Constant<4>(), k); break;
            default: action(rows, Constant<8>(), k); break;
          }
        }
      }
    });
  }

  static void take_motion(const LinkMotion& motion, typename Rows::Body& body) {
    body.center = S::vec(motion.place);
    body.velocity = S::vec(motion.velocity);
    body.free = S::vec(motion.acceleration);
    if constexpr (D == 3) {
      body.omega = S::vec(motion.omega);
      body.free_turn = S::vec(motion.angular_acceleration);
      body.frame = {S::vec(motion.frame.row(0)), S::vec(motion.frame.row(1)), S::vec(motion.frame.row(2))};
    }
  }

  /// What unit multipliers of a loop do to the links at its ends.
  template <int R, int Width>
  void write_wrenches(int k) {
    const LoopTopology::Loop& loop = loops_.loops[k];
    const int rows = R > 0 ? R : loop.rows, stride = BlockSchedule::padded(rows);
    double* wrenches = &wrenches_[loop.wrenches];
    for (int side = 0; side < 2; ++side, wrenches += (Rows::A + D) * Width) {
      const JointGraph::JacobianBlock& jacobian_block = topology_.jacobian[loop.jacobian + side];
      const double* const moments = Rows::angular(jacobian_block);
      for (int p = 0; p < Rows::A; ++p) {
        for (int r = 0; r < rows; ++r) wrenches[p * Width + r] = moments[p * stride + r];
      }
      if (R > 0 || jacobian_block.linear < 0) continue;
      const double* const linear = Rows::linear(jacobian_block);
      for (int p = 0; p < D; ++p) {
        for (int r = 0; r < rows; ++r) wrenches[(Rows::A + p) * Width + r] = linear[p * stride + r];
      }
    }
  }
  /// Forces of points that coincide never change.
  void write_unit_forces() {
    for (const LoopTopology::Loop& loop : loops_.loops) {
      for (int side = 0; side < 2; ++side) {
        const JointGraph::JacobianBlock& jacobian_block = topology_.jacobian[loop.jacobian + side];
        double* const forces = &wrenches_[loop.wrenches + ((Rows::A + D) * side + Rows::A) * loop.width];
        for (int p = 0; jacobian_block.linear < 0 && p < D; ++p) forces[p * loop.width + p] = jacobian_block.sign;
      }
    }
  }

  /// A loop's block on the diagonal of S.
  template <int R, int Width>
  void square(int k) {
    using Part = Parts<Width>;
    const LoopTopology::Loop& loop = loops_.loops[k];
    const int rows = R > 0 ? R : loop.rows, stride = BlockSchedule::padded(rows);
    constexpr int columns = R > 0 ? R : std::min(Width, BlockSchedule::most_rows);
    typename Part::Lanes parts[columns][Part::count] = {};
    const double* number = Z_.data() + loop.Z;
    for (int v = 0; v < loop.count; ++v, number += Width) {
      const typename Part::Lanes* const Z = Part::of(number);
      for (int c = 0; c < columns; ++c) {
        for (int p = c / Part::lanes; p < Part::count; ++p) parts[c][p] += number[c] * Z[p];
      }
    }
    const auto sum = [&parts](int c, int r) { return parts[c][r / Part::lanes][r % Part::lanes]; };
    double* const block = delassus_.values() + topology_.schedule.column(k).diagonal;
    double* const diagonal = delassus_.diagonal() + topology_.joint_blocks[k].start;
    double largest = 0;
    for (int c = 0; c < rows; ++c) {
      for (int r = c; r < rows; ++r) block[c * stride + r] = sum(c, r);
      largest = std::max(largest, sum(c, c));
    }
    const double floor = std::max(rounding_of_rows * largest, loops_.no_mobility);
    for (int c = 0; c < rows; ++c) diagonal[c] = std::max(sum(c, c), floor);
  }

  template <int R>
  void multiply_common(const LoopTopology::Common& common) {
    double* const block = delassus_.values() + common.destination;
    const int rows = R > 0 ? R : common.rows, columns = R > 0 ? R : common.columns;
    const int stride = BlockSchedule::padded(rows);
    const double *row = &Z_[common.row_Z], *column = &Z_[common.column_Z];
    if (common.first) std::fill_n(block, stride * columns, 0.0);
    for (int k = 0; k < common.count; ++k, row += common.row_width, column += common.column_width) {
      for (int c = 0; c < columns; ++c) {
        for (int r = 0; r < rows; ++r) block[c * stride + r] += row[r] * column[c];
      }
    }
  }

  const LoopTopology& loops_;
  TreeDynamics& tree_;
  std::vector<PlanarLinkMotion> planar_motions_ = std::vector<PlanarLinkMotion>(D == 2 ? loops_.ports.size() : 0);
  std::vector<double> wrenches_;  // of all loops
  std::vector<double> Z_;
  std::vector<double> z_;  // of a product with S
  Delassus<double> delassus_;
};

}  // namespace bricard

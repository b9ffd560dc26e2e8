// Joints that close loops on a tree, in time linear in the links on their way to each other:
//   Z = W P^T,   S = P M^-1 P^T = Z^T Z,   S lambda = Z^T z + P a - gamma,   z := z - Z lambda          [tree_dynamics.h]
// with a the accelerations of bodies while the joints' are zero. A row has entries of Z at the links between the two
// bodies that it joins and the first link that both hang on; S couples loops that have links in common, and is
// factorised like that of a graph.
#pragma once

#include <algorithm>
#include <vector>

#include "coordinates/relative.h"
#include "coordinates/tree_dynamics.h"
#include "linear/block_cholesky.h"
#include "system/graph_rows.h"

namespace bricard {

/// The structure: index work, done once.
struct LoopTopology {
  LoopTopology(const System& system, TreeDynamics& tree);

  /// One of the two ends of a loop, and the links from there inwards.
  struct Side {
    int leg = 0;
    int links = 0, links_end = 0;
    int velocities = 0, velocities_end = 0;
    int wrenches = 0, Z = 0;  // offsets; Z has `width` numbers a velocity
  };
  struct Loop {
    int rows = 0, width = 0;
    Side side[2];
  };
  /// Velocities that two sides have in common: a part of the block of S at `destination`.
  struct Common {
    int rows = 0, columns = 0;              // of the block
    int row_width = 0, column_width = 0;    // of Z
    int row_Z = 0, column_Z = 0, count = 0;
    int destination = 0;
    bool first = true;  // of those with this destination
  };

  std::vector<int> links;       // of all sides
  std::vector<int> velocities;  // of all sides
  std::vector<int> ports;       // links that loops hold on to; the topology's bodies
  std::vector<Loop> loops;      // in the order of the topology's groups
  std::vector<Common> common;
  std::vector<StrandPath> strands;
  int Z_size = 0, wrenches_size = 0;
  GraphTopology topology;

 private:
  std::vector<int> links_between(const TreeLinks& tree, int from, int other) const;
};

template <int D>
class TreeLoops : public GraphRows<D, double> {
 public:
  using Rows = GraphRows<D, double>;
  using S = typename Rows::S;

  TreeLoops(const LoopTopology& loops, TreeDynamics& tree)
      : Rows(loops.topology, {&loops.topology}),
        loops_(loops),
        tree_(tree),
        wrenches_(loops.wrenches_size),
        Z_(loops.Z_size),
        diagonal_(loops.topology.rows()),
        shift_(loops.topology.rows()),
        least_(loops.topology.rows()),
        cholesky_(loops.topology.schedule) {
    for (int port = 0; port <= Rows::bodies(); ++port) {
      if constexpr (D == 2) {
        Rows::body(port).root = 1;
      } else {
        Rows::body(port).root = S::ground_frame();
      }
    }
    take_motion(0, Rows::body(Rows::bodies()));
  }

  /// Takes the places and motions of the links from the tree.
  void take_motions() {
    for (int port = 0; port < Rows::bodies(); ++port) take_motion(loops_.ports[port], Rows::body(port));
  }

  /// S from P, for the tree's last factorisation.
  void assemble() {
    each_loop([this](auto rows, auto width, int k) { write_wrenches<rows.value, width.value>(k); });
    tree_.reduce_strands(loops_.strands, loops_.links.data(), wrenches_.data(), Z_.data());
    cholesky_.clear_fill();
    each_loop([this](auto rows, auto width, int k) { square<rows.value, width.value>(k); });
    each_rows([this](auto rows) {
      for (const LoopTopology::Common& common : loops_.common) multiply_common<rows.value>(common);
    });
  }
  /// Factorises S; rows whose pivot is at most `least` of the diagonal are left out. How many there were.
  int factorize(double least) {
    std::fill(least_.begin(), least_.end(), least);
    return cholesky_.factorize(diagonal_.data(), 0, least_.data());
  }
  /// Factorises S + mu I, mu relative to the largest element of the diagonal.
  void factorize_shifted(double mu) {
    std::fill(shift_.begin(), shift_.end(), *std::max_element(diagonal_.begin(), diagonal_.end()));
    std::fill(least_.begin(), least_.end(), 0.0);
    cholesky_.factorize(shift_.data(), mu, least_.data());
  }
  void solve(double* x) const { cholesky_.solve(x); }

  /// y += Z^T z
  void add_transposed(const double* z, double* y) const {
    each_loop([=, this](auto rows, auto width, int k) {
      using Lanes = typename Strand<width.value>::Lanes;
      Lanes sum{};
      for (const LoopTopology::Side& side : loops_.loops[k].side) {
        const Lanes* Z = reinterpret_cast<const Lanes*>(Z_.data() + side.Z);
        for (int v = side.velocities; v < side.velocities_end; ++v) sum += *Z++ * z[loops_.velocities[v]];
      }
      double* const own = y + topology_.groups[k].start;
      const int count = rows.value > 0 ? rows.value : loops_.loops[k].rows;
      for (int r = 0; r < count; ++r) own[r] += sum[r];
    });
  }
  /// z -= Z x
  void subtract(const double* x, double* z) const {
    each_loop([=, this](auto rows, auto width, int k) {
      using Lanes = typename Strand<width.value>::Lanes;
      const double* const own = x + topology_.groups[k].start;
      const int count = rows.value > 0 ? rows.value : loops_.loops[k].rows;
      Lanes factor{};
      for (int r = 0; r < count; ++r) factor[r] = own[r];
      for (const LoopTopology::Side& side : loops_.loops[k].side) {
        const Lanes* Z = reinterpret_cast<const Lanes*>(Z_.data() + side.Z);
        for (int v = side.velocities; v < side.velocities_end; ++v) {
          const Lanes product = *Z++ * factor;
          double sum = product[0];
          for (int r = 1; r < width.value; ++r) sum += product[r];
          z[loops_.velocities[v]] -= sum;
        }
      }
    });
  }

 private:
  using Rows::topology_;
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

  void take_motion(int link, typename Rows::Body& body) {
    const LinkMotion motion = tree_.motion_of(link);
    const auto vec = [](const Vec3& v) { return S::vec(v); };
    body.center = vec(motion.place);
    body.velocity = vec(motion.velocity);
    body.free = vec(motion.acceleration);
    if constexpr (D == 2) {
      body.omega = motion.omega.z();
      body.free_turn = motion.angular_acceleration.z();
      body.frame = {motion.frame(0, 0), motion.frame(1, 0)};
    } else {
      body.omega = vec(motion.omega);
      body.free_turn = vec(motion.angular_acceleration);
      body.frame = {vec(motion.frame.row(0)), vec(motion.frame.row(1)), vec(motion.frame.row(2))};
    }
  }

  /// What unit multipliers of a loop do to the links at its ends. Forces of points that coincide never change.
  template <int R, int Width>
  void write_wrenches(int k) {
    const LoopTopology::Loop& loop = loops_.loops[k];
    const int rows = R > 0 ? R : loop.rows, stride = BlockSchedule::padded(rows);
    for (const LoopTopology::Side& side : loop.side) {
      if (side.links == side.links_end) continue;
      const GraphTopology::Leg& leg = topology_.legs[side.leg];
      double* const wrenches = &wrenches_[side.wrenches];
      const double* const moments = Rows::angular(leg);
      for (int p = 0; p < Rows::A; ++p) {
        for (int r = 0; r < rows; ++r) wrenches[p * Width + r] = moments[p * stride + r];
      }
      double* const forces = wrenches + Rows::A * Width;
      if (Width >= D && (R > 0 || leg.linear < 0)) {
        for (int p = 0; p < D; ++p) forces[p * Width + p] = leg.sign;
      } else {
        const double* const linear = Rows::linear(leg);
        for (int p = 0; p < D; ++p) {
          for (int r = 0; r < rows; ++r) forces[p * Width + r] = linear[p * stride + r];
        }
      }
    }
  }

  /// A loop's block on the diagonal of S.
  template <int R, int Width>
  void square(int k) {
    using Lanes = typename Strand<Width>::Lanes;
    const LoopTopology::Loop& loop = loops_.loops[k];
    const int rows = R > 0 ? R : loop.rows, stride = BlockSchedule::padded(rows);
    constexpr int columns = R > 0 ? R : std::min(Width, BlockSchedule::most_rows);
    Lanes sums[columns] = {};
    for (const LoopTopology::Side& side : loop.side) {
      const Lanes* Z = reinterpret_cast<const Lanes*>(Z_.data() + side.Z);
      for (int v = side.velocities; v < side.velocities_end; ++v) {
        const Lanes column = *Z++;
        for (int c = 0; c < columns; ++c) sums[c] += column[c] * column;
      }
    }
    double* const block = cholesky_.values() + topology_.schedule.column(k).diagonal;
    double* const diagonal = &diagonal_[topology_.groups[k].start];
    for (int c = 0; c < rows; ++c) {
      for (int r = c; r < rows; ++r) block[c * stride + r] = sums[c][r];
      diagonal[c] = sums[c][c];
    }
  }

  template <int R>
  void multiply_common(const LoopTopology::Common& common) {
    double* const block = cholesky_.values() + common.destination;
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
  std::vector<double> wrenches_;  // of all sides
  std::vector<double> Z_;
  std::vector<double> diagonal_, shift_, least_;
  BlockCholesky<double> cholesky_;
};

}  // namespace bricard

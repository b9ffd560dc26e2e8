#include "dynamics/tree/tree_rows.h"

#include <algorithm>

#include "dynamics/tree/tree_loops.h"

namespace bricard {
namespace {

JointGraph graph_over_links(const System& system) {
  const TreeLinks links(system.model(), *system.coordinates().spanning_tree());
  const auto reach = [&](const std::vector<int>& bodies) {
    std::vector<int> nodes;
    for (int body : bodies) {
      for (int link = links.link_of_body[body]; link != 0; link = links.list[link].parent) nodes.push_back(link);
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
  };
  return JointGraph(system, static_cast<int>(links.list.size()), reach);
}

}  // namespace

TreeRows::TreeRows(System& system, TreeDynamics& tree, int redundant)
    : system_(system),
      tree_(tree),
      eq_(system.empty_equations()),
      graph_(graph_over_links(system)),
      z_(system.velocity_size()),
      Phi_(Vector::Zero(graph_.rows())),
      Phi_dot_(Vector::Zero(graph_.rows())),
      right_(Vector::Zero(graph_.rows())),
      no_mobility_(least_mobility(system.model())),
      delassus_(graph_.schedule, redundant) {
  int size = 0;
  for (std::size_t k = 0; k < graph_.joint_blocks.size(); ++k) {
    JointBlock joint_block;
    joint_block.rows = graph_.joint_blocks[k].rows;
    joint_block.start = graph_.joint_blocks[k].start;
    joint_block.diagonal = graph_.schedule.column(static_cast<int>(k)).diagonal;
    joint_block.Z = size;
    const auto each_entry = [&](int r, const auto& action) {
      for (SparseRows::InnerIterator entry(eq_.P, graph_.system_row[joint_block.start + r]); entry; ++entry)
        action(static_cast<int>(entry.col()));
    };
    for (int r = 0; r < joint_block.rows; ++r)
      each_entry(r, [&](int column) { joint_block.columns.push_back(column); });
    std::sort(joint_block.columns.begin(), joint_block.columns.end());
    joint_block.columns.erase(std::unique(joint_block.columns.begin(), joint_block.columns.end()),
                              joint_block.columns.end());
    for (int column : joint_block.columns) {
      const int link = tree_.link_of(column);
      if (joint_block.path.empty() || joint_block.path.back() != link) joint_block.path.push_back(link);
    }
    joint_block.places.resize(joint_block.rows);
    for (int r = 0; r < joint_block.rows; ++r) {
      each_entry(r, [&](int column) {
        const auto found = std::lower_bound(joint_block.columns.begin(), joint_block.columns.end(), column);
        joint_block.places[r].push_back(static_cast<int>(found - joint_block.columns.begin()));
      });
    }
    size += joint_block.rows * static_cast<int>(joint_block.columns.size());
    joint_blocks_.push_back(std::move(joint_block));
  }
  Z_.resize(size);
  std::vector<std::vector<std::pair<int, int>>> visits(system.velocity_size());  // of each column: joint blocks, places
  for (std::size_t k = 0; k < joint_blocks_.size(); ++k) {
    for (std::size_t c = 0; c < joint_blocks_[k].columns.size(); ++c)
      visits[joint_blocks_[k].columns[c]].emplace_back(static_cast<int>(k), static_cast<int>(c));
  }
  std::vector<std::vector<int>> pair_of(joint_blocks_.size(), std::vector<int>());
  for (std::size_t k = 0; k < joint_blocks_.size(); ++k) pair_of[k].assign(k, -1);
  for (const auto& visit : visits) {
    for (const auto& [row, at_row] : visit) {
      for (const auto& [column, at_column] : visit) {
        if (row <= column) continue;
        int& pair = pair_of[row][column];
        if (pair < 0) {
          pair = static_cast<int>(pairs_.size());
          pairs_.push_back({row, column, graph_.schedule.offset(row, column), {}});
        }
        pairs_[pair].common.emplace_back(at_row, at_column);
      }
    }
  }
}

void TreeRows::evaluate(double t, ConstVector q, ConstVector v, ConstVector states) {
  system_.evaluate(t, q, v, states, Upto::forces, eq_);
}

void TreeRows::take(const Vector& from, double factor, Vector& to) const {
  for (int row = 0; row < rows(); ++row) {
    if (graph_.system_row[row] >= 0) to[row] = factor * from[graph_.system_row[row]];
  }
}

void TreeRows::assemble() {
  for (const JointBlock& joint_block : joint_blocks_) {
    const int width = static_cast<int>(joint_block.columns.size());
    for (int r = 0; r < joint_block.rows; ++r) {
      double* const row = &Z_[joint_block.Z + r * width];
      std::fill_n(row, width, 0.0);
      const double* value = eq_.P.valuePtr() + eq_.P.outerIndexPtr()[graph_.system_row[joint_block.start + r]];
      for (int place : joint_block.places[r]) row[place] = *value++;
      tree_.reduce(joint_block.path, row);
    }
  }
  delassus_.clear_fill();
  double *const values = delassus_.values(), *const diagonal = delassus_.diagonal();
  for (const JointBlock& joint_block : joint_blocks_) {
    const int width = static_cast<int>(joint_block.columns.size()), stride = BlockSchedule::padded(joint_block.rows);
    double largest = 0;
    for (int c = 0; c < joint_block.rows; ++c) {
      const Eigen::Map<const Vector> column(&Z_[joint_block.Z + c * width], width);
      for (int r = c; r < joint_block.rows; ++r)
        values[joint_block.diagonal + c * stride + r] =
            column.dot(Eigen::Map<const Vector>(&Z_[joint_block.Z + r * width], width));
      largest = std::max(largest, values[joint_block.diagonal + c * stride + c]);
    }
    const double floor = std::max(rounding_of_rows * largest, no_mobility_);
    for (int c = 0; c < joint_block.rows; ++c)
      diagonal[joint_block.start + c] = std::max(values[joint_block.diagonal + c * stride + c], floor);
  }
  for (const Pair& pair : pairs_) {
    const JointBlock &a = joint_blocks_[pair.row], &b = joint_blocks_[pair.column];
    const int stride = BlockSchedule::padded(a.rows);
    const int a_width = static_cast<int>(a.columns.size()), b_width = static_cast<int>(b.columns.size());
    std::fill_n(values + pair.destination, stride * b.rows, 0.0);
    for (int c = 0; c < b.rows; ++c) {
      for (int r = 0; r < a.rows; ++r) {
        double sum = 0;
        for (const auto& [at_a, at_b] : pair.common) sum += Z_[a.Z + r * a_width + at_a] * Z_[b.Z + c * b_width + at_b];
        values[pair.destination + c * stride + r] = sum;
      }
    }
  }
}

auto TreeRows::applied() {
  return [this](const double* x, double* y) {
    std::fill(z_.begin(), z_.end(), 0.0);
    subtract(x, z_.data());
    std::fill_n(y, rows(), 0.0);
    add_transposed(z_.data(), y);
    for (int row = 0; row < rows(); ++row) y[row] = -y[row];
  };
}

bool TreeRows::factorize() {
  return delassus_.factorize([this] { assemble(); });
}
void TreeRows::solve(const double* right, double* x) { delassus_.solve(right, x, applied()); }
bool TreeRows::solve_least_norm(const double* right, double* x) {
  return delassus_.solve_least_norm([this] { assemble(); }, right, x, applied());
}

void TreeRows::add_transposed(const double* z, double* y) const {
  for (const JointBlock& joint_block : joint_blocks_) {
    const double* Z = &Z_[joint_block.Z];
    for (int r = 0; r < joint_block.rows; ++r) {
      double sum = 0;
      for (int column : joint_block.columns) sum += *Z++ * z[column];
      y[joint_block.start + r] += sum;
    }
  }
}

void TreeRows::subtract(const double* x, double* z) const {
  for (const JointBlock& joint_block : joint_blocks_) {
    const double* Z = &Z_[joint_block.Z];
    for (int r = 0; r < joint_block.rows; ++r) {
      for (int column : joint_block.columns) z[column] -= *Z++ * x[joint_block.start + r];
    }
  }
}

}  // namespace bricard

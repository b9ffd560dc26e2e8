#include "linear/block/block_schedule.h"

#include <amd.h>

#include <algorithm>
#include <new>
#include <numeric>

namespace bricard {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

/// Approximate minimum degree on the graph of the block rows.
std::vector<int> elimination_order(int n, const Pairs& pairs) {
  std::vector<int> starts(n + 1, 0);
  for (const auto& [i, j] : pairs) ++starts[i + 1], ++starts[j + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<int> neighbours(starts.back()), next(starts.begin(), starts.end() - 1);
  for (const auto& [i, j] : pairs) neighbours[next[i]++] = j, neighbours[next[j]++] = i;
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  if (n > 0 && amd_order(n, starts.data(), neighbours.data(), order.data(), nullptr, nullptr) == AMD_OUT_OF_MEMORY)
    throw std::bad_alloc();
  return order;
}

}  // namespace

BlockSchedule::BlockSchedule(const std::vector<int>& sizes, const Pairs& pairs) : position_(sizes.size()) {
  const int n = static_cast<int>(sizes.size());
  const std::vector<int> order = elimination_order(n, pairs);
  for (int k = 0; k < n; ++k) position_[order[k]] = k;

  // Structure of L: what is below the diagonal in a column is inherited by its first such row, its parent.
  std::vector<std::vector<int>> below(n);
  for (const auto& [i, j] : pairs) {
    const auto [column, row] = std::minmax(position_[i], position_[j]);
    if (row != column) below[column].push_back(row);
  }
  std::vector<std::vector<int>> given = below;
  for (std::vector<int>& rows : given) std::sort(rows.begin(), rows.end());
  columns_.resize(n);
  for (int k = 0; k < n; ++k)
    columns_[k].size = sizes[order[k]], columns_[k].start = rows_, rows_ += padded(sizes[order[k]]);
  for (int k = 0; k < n; ++k) {
    std::vector<int>& rows = below[k];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.size() > 1) below[rows.front()].insert(below[rows.front()].end(), rows.begin() + 1, rows.end());
    Column& column = columns_[k];
    column.diagonal = values_;
    column.panel = column.diagonal + padded(column.size) * column.size;
    column.blocks = static_cast<int>(blocks_.size());
    values_ = column.panel;
    for (int row : rows) {
      blocks_.push_back({row, columns_[row].size, columns_[row].start});
      const int count = padded(columns_[row].size) * column.size;
      if (!std::binary_search(given[k].begin(), given[k].end(), row)) fill_.push_back({values_, count});
      values_ += count;
    }
    column.blocks_end = static_cast<int>(blocks_.size());
    below[k].shrink_to_fit();
  }
  for (Column& column : columns_) {
    column.updates = static_cast<int>(updates_.size());
    for (int j = column.blocks; j < column.blocks_end; ++j) {
      for (int i = j; i < column.blocks_end; ++i) updates_.push_back(offset(blocks_[i].row, blocks_[j].row));
    }
  }
  const bool common = std::all_of(sizes.begin(), sizes.end(), [&](int size) { return size == sizes.front(); });
  common_size_ = common && n > 0 ? sizes.front() : 0;
}

int BlockSchedule::offset(int row, int column) const {
  const Column& c = columns_[column];
  if (row == column) return c.diagonal;
  int place = c.panel;
  for (int b = c.blocks; b < c.blocks_end && blocks_[b].row != row; ++b) place += padded(blocks_[b].size) * c.size;
  return place;
}

}  // namespace bricard

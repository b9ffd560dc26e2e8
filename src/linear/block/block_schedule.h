// Symbolic factorisation of a symmetric matrix of small dense blocks, S = L L^T, done once: an order of the block rows
// that keeps fill small, where every block of L lies, and which product is subtracted from which block. Numbers follow
// it in BlockCholesky. A chain, a tree or a ladder of joints has a fill that does not grow with its length.
#pragma once

#include <utility>
#include <vector>

namespace bricard {

class BlockSchedule {
 public:
  /// `sizes`: rows of each block row (1 to most_rows); `pairs`: block rows that are coupled, in any order.
  BlockSchedule(const std::vector<int>& sizes, const std::vector<std::pair<int, int>>& pairs);
  BlockSchedule() = default;

  static constexpr int most_rows = 6;
  /// Blocks are stored column by column, each padded by zeros to an even number of rows, and so are vectors: two rows
  /// are worked on at once.
  static constexpr int padded(int rows) { return (rows + 1) / 2 * 2; }

  /// A block below the diagonal: the rows of position `row` by those of its column.
  struct Block {
    int row = 0, size = 0;
    int start = 0;  // of its rows in a vector
  };
  struct Column {
    int size = 0;
    int start = 0;     // of its rows in a vector
    int diagonal = 0;  // offset of its square block in the values
    int panel = 0;     // offset of the blocks below, one after the other
    int blocks = 0, blocks_end = 0;
    int updates = 0;  // of the first destination; one for each pair of blocks (j, i >= j), j outside
  };

  int columns() const { return static_cast<int>(columns_.size()); }
  /// Length of vectors, padding included.
  int rows() const { return rows_; }
  int values() const { return values_; }
  const Column& column(int k) const { return columns_[k]; }
  const Column* column_list() const { return columns_.data(); }
  const Block* blocks() const { return blocks_.data(); }
  const int* updates() const { return updates_.data(); }
  /// Numbers of blocks that S does not have and L has.
  struct Range {
    int start = 0, count = 0;
  };
  const std::vector<Range>& fill() const { return fill_; }
  /// Position of a block row in the order of elimination.
  int position(int block_row) const { return position_[block_row]; }
  /// Offset of the block of two positions, row >= column, in the values.
  int offset(int row, int column) const;
  /// The size that all blocks have; 0 if they differ.
  int common_size() const { return common_size_; }

 private:
  std::vector<int> position_;
  std::vector<Column> columns_;
  std::vector<Block> blocks_;
  std::vector<int> updates_;
  std::vector<Range> fill_;
  int rows_ = 0, values_ = 0, common_size_ = 0;
};

}  // namespace bricard

// Numeric factorisation S = L L^T of a BlockSchedule, and solves with it. `Real` is a number or a pack of numbers that
// are worked on alike. Time is linear in the blocks of L; where all blocks have one size, loops over them are unrolled.
// Loops are compiled in block_cholesky.cpp, once for all engines: inlined into each place that factorises, they were
// most of what the compiler had to do there.
#pragma once

#include <algorithm>
#include <vector>

#include "linear/block/block_schedule.h"
#include "linear/simd/pack.h"
#include "linear/simd/processor.h"

namespace bricard {

template <class Real>
class BlockCholesky {
 public:
  explicit BlockCholesky(const BlockSchedule& schedule) : schedule_(&schedule), values_(schedule.values(), Real(0)) {}

  /// Where S is put before factorize(): lower blocks, and of diagonal blocks the lower triangle at least; padding zero.
  Real* values() { return values_.data(); }
  void set_zero() { std::fill(values_.begin(), values_.end(), Real(0)); }
  /// Enough for an S of which all blocks are written anew, with their padding.
  void clear_fill() {
    for (const BlockSchedule::Range& range : schedule_->fill())
      std::fill_n(values_.begin() + range.start, range.count, Real(0));
  }

  /// S + mu diag(d) = L L^T, in place. A pivot of at most `least` d counts as zero: its row is left out of solutions.
  /// Returns how many there were.
  int factorize(const Real* d, double mu, const double* least);
  /// The same, and y := L^-1 y on the way, while blocks are at hand.
  int factorize(const Real* d, double mu, const double* least, Real* y);

  /// Calls action(row) for each row that the last factorize() left out.
  template <class Action>
  void each_left_out(const Action& action) const {
    for (int k = 0; k < schedule_->columns(); ++k) {
      const BlockSchedule::Column& column = schedule_->column(k);
      for (int r = 0; r < column.size; ++r) {
        if (values_[column.diagonal + r * BlockSchedule::padded(column.size) + r] == 0) action(column.start + r);
      }
    }
  }

  /// x := S^-1 x
  void solve(Real* x) const;
  /// x := L^-T x
  void backward(Real* x) const;

 private:
  const BlockSchedule* schedule_;
  std::vector<Real> values_;
  const bool fused_ = processor_has_fused();
};

extern template class BlockCholesky<double>;
extern template class BlockCholesky<Pack>;

}  // namespace bricard

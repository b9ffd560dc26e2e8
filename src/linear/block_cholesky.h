// Numeric factorisation S = L L^T of a BlockSchedule, and solves with it. `Real` is a number or a pack of numbers that
// are worked on alike. Time is linear in the blocks of L; where all blocks have one size, loops over them are unrolled.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "linear/block_schedule.h"
#include "linear/columns.h"

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
  int factorize(const Real* d, double mu, const double* least) {
    int missing = 0;
    switch (schedule_->common_size()) {
      case 2: factorize_all<2>(d, mu, least, missing); break;
      case 3: factorize_all<3>(d, mu, least, missing); break;
      case 5: factorize_all<5>(d, mu, least, missing); break;
      default: factorize_all<0>(d, mu, least, missing); break;
    }
    return missing;
  }

  /// Calls action(row) for each row that the last factorize() left out.
  template <class Action>
  void each_left_out(const Action& action) const {
    for (int k = 0; k < schedule_->columns(); ++k) {
      const Column& column = schedule_->column(k);
      for (int r = 0; r < column.size; ++r) {
        if (values_[column.diagonal + r * BlockSchedule::padded(column.size) + r] == 0) action(column.start + r);
      }
    }
  }

  /// x := S^-1 x
  void solve(Real* x) const {
    switch (schedule_->common_size()) {
      case 2: return solve_all<2>(x);
      case 3: return solve_all<3>(x);
      case 5: return solve_all<5>(x);
      default: return solve_all<0>(x);
    }
  }

 private:
  using Column = BlockSchedule::Column;
  using Block = BlockSchedule::Block;
  template <int N>
  struct Constant {
    static constexpr int value = N;
  };

  /// action(size of the column as a constant, column)
  template <int Size, class Action>
  static void visit(const Column& column, const Action& action) {
    if constexpr (Size > 0) {
      action(Constant<Size>(), column);
    } else {
      switch (column.size) {
        case 1: return action(Constant<1>(), column);
        case 2: return action(Constant<2>(), column);
        case 3: return action(Constant<3>(), column);
        case 4: return action(Constant<4>(), column);
        case 5: return action(Constant<5>(), column);
        default: return action(Constant<6>(), column);
      }
    }
  }

  template <int Size>
  void factorize_all(const Real* d, double mu, const double* least, int& missing) {
    for (int k = 0; k < schedule_->columns(); ++k) {
      visit<Size>(schedule_->column(k), [&](auto c, const Column& column) {
        factorize_diagonal<decltype(c)::value>(column, d + column.start, mu, least + column.start, missing);
        if (column.blocks < column.blocks_end) eliminate<decltype(c)::value, Size>(column);
      });
    }
  }

  // The diagonal of L is kept inverted.
  template <int C>
  void factorize_diagonal(const Column& column, const Real* d, double mu, const double* least, int& missing) {
    constexpr int stride = BlockSchedule::padded(C);
    Real* L = values_.data() + column.diagonal;
    for (int c = 0; c < C; ++c) {
      Real pivot = L[c * stride + c] + mu * d[c];
      for (int p = 0; p < c; ++p) pivot -= L[p * stride + c] * L[p * stride + c];
      const Real inverse = inverse_root(pivot, least[c] * d[c], missing);
      L[c * stride + c] = inverse;
      for (int r = c + 1; r < C; ++r) {
        Real value = L[c * stride + r];
        for (int p = 0; p < c; ++p) value -= L[p * stride + r] * L[p * stride + c];
        L[c * stride + r] = value * inverse;
      }
    }
  }

  // C: size of the column; R: size of all blocks, 0 if they differ.
  template <int C, int R>
  void eliminate(const Column& column) {
    constexpr int stride = BlockSchedule::padded(C);
    const Real* L = values_.data() + column.diagonal;
    const Block* blocks = schedule_->blocks();
    Real* panel = values_.data() + column.panel;
    Real* X = panel;
    for (int b = column.blocks; b < column.blocks_end; ++b) {
      const columns::Length<R> length(blocks[b].size);
      for (int c = 0; c < C; ++c) {
        for (int p = 0; p < c; ++p) columns::subtract(length, X + c * length, X + p * length, L[p * stride + c]);
        columns::scale(length, X + c * length, L[c * stride + c]);
      }
      X += C * length;
    }
    const int* destination = schedule_->updates() + column.updates;
    const Real* left = panel;
    for (int j = column.blocks; j < column.blocks_end; ++j) {
      const int count = R > 0 ? R : blocks[j].size;
      const columns::Length<R> left_length(blocks[j].size);
      columns::subtract_lower_products<C>(left_length, count, values_.data() + *destination++, left);
      const Real* right = left + C * left_length;
      for (int i = j + 1; i < column.blocks_end; ++i) {
        const columns::Length<R> length(blocks[i].size);
        columns::subtract_products<C>(length, left_length, count, values_.data() + *destination++, right, left);
        right += C * length;
      }
      left += C * left_length;
    }
  }

  template <int Size>
  void solve_all(Real* x) const {
    const int n = schedule_->columns();
    for (int k = 0; k < n; ++k) {
      visit<Size>(schedule_->column(k),
                  [&](auto c, const Column& column) { forward<decltype(c)::value, Size>(column, x); });
    }
    for (int k = n - 1; k >= 0; --k) {
      visit<Size>(schedule_->column(k),
                  [&](auto c, const Column& column) { backward<decltype(c)::value, Size>(column, x); });
    }
  }

  template <int C, int R>
  void forward(const Column& column, Real* x) const {
    constexpr int stride = BlockSchedule::padded(C);
    const Real* L = values_.data() + column.diagonal;
    Real y[C];
    for (int c = 0; c < C; ++c) {
      Real value = x[column.start + c];
      for (int p = 0; p < c; ++p) value -= L[p * stride + c] * y[p];
      y[c] = value * L[c * stride + c];
      x[column.start + c] = y[c];
    }
    const Block* blocks = schedule_->blocks();
    const Real* X = values_.data() + column.panel;
    for (int b = column.blocks; b < column.blocks_end; ++b) {
      const columns::Length<R> length(blocks[b].size);
      columns::subtract_combination<C>(length, x + blocks[b].start, X, y);
      X += C * length;
    }
  }

  template <int C, int R>
  void backward(const Column& column, Real* x) const {
    constexpr int stride = BlockSchedule::padded(C);
    const Real* L = values_.data() + column.diagonal;
    Real y[C];
    for (int c = 0; c < C; ++c) y[c] = x[column.start + c];
    const Block* blocks = schedule_->blocks();
    const Real* X = values_.data() + column.panel;
    for (int b = column.blocks; b < column.blocks_end; ++b) {
      const columns::Length<R> length(blocks[b].size);
      const Real* source = x + blocks[b].start;
      for (int p = 0; p < C; ++p) y[p] -= columns::dot(length, X + p * length, source);
      X += C * length;
    }
    for (int c = C - 1; c >= 0; --c) {
      for (int r = c + 1; r < C; ++r) y[c] -= L[c * stride + r] * y[r];
      y[c] *= L[c * stride + c];
      x[column.start + c] = y[c];
    }
  }

  static double inverse_root(double pivot, double least, int& missing) {
    if (pivot > least) return 1 / std::sqrt(pivot);
    ++missing;
    return 0;
  }
  template <class Pack>
  static Pack inverse_root(const Pack& pivot, const Pack& least, int& missing) {
    return inverse_roots(pivot, least, missing);
  }

  const BlockSchedule* schedule_;
  std::vector<Real> values_;
};

}  // namespace bricard

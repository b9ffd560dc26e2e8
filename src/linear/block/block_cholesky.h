// Numeric factorisation S = L L^T of a BlockSchedule, and solves with it. `Real` is a number or a pack of numbers that
// are worked on alike. Time is linear in the blocks of L; where all blocks have one size, loops over them are unrolled.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linear/block/block_schedule.h"
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
    return each_size([&](auto size) { return factorize_all<size.value, false>(d, mu, least, nullptr); });
  }
  /// The same, and y := L^-1 y on the way, while blocks are at hand.
  int factorize(const Real* d, double mu, const double* least, Real* y) {
    return each_size([&](auto size) { return factorize_all<size.value, true>(d, mu, least, y); });
  }

  /// Calls action(row) for each row that the last factorize() left out, of packs in all lanes.
  template <class Action>
  void each_left_out(const Action& action) const {
    for (int k = 0; k < schedule_->columns(); ++k) {
      const Column& column = schedule_->column(k);
      for (int r = 0; r < column.size; ++r) {
        if (is_zero(values_[column.diagonal + r * BlockSchedule::padded(column.size) + r])) action(column.start + r);
      }
    }
  }

  /// x := S^-1 x
  void solve(Real* x) const {
    forward(x);
    backward(x);
  }
  /// x := L^-1 x
  void forward(Real* x) const {
    each_size([&](auto size) { forward_all<size.value>(x); });
  }
  /// x := L^-T x
  void backward(Real* x) const {
    each_size([&](auto size) { backward_all<size.value>(x); });
  }

 private:
  using Column = BlockSchedule::Column;
  using Block = BlockSchedule::Block;
  template <int N>
  struct Constant {
    static constexpr int value = N;
  };

  using Piece = columns::Piece<Real>;

  /// action(size of all blocks as a constant, 0 if they differ)
  template <class Action>
  auto each_size(const Action& action) const {
    switch (schedule_->common_size()) {
      case 2: return action(Constant<2>());
      case 3: return action(Constant<3>());
      case 5: return action(Constant<5>());
      default: return action(Constant<0>());
    }
  }
  /// action(size of the column as a constant)
  template <int Size, class Action>
  static void visit(const Column& column, const Action& action) {
    if constexpr (Size > 0) {
      action(Constant<Size>());
    } else {
      switch (column.size) {
        case 1: return action(Constant<1>());
        case 2: return action(Constant<2>());
        case 3: return action(Constant<3>());
        case 4: return action(Constant<4>());
        case 5: return action(Constant<5>());
        default: return action(Constant<6>());
      }
    }
  }

  /// What numeric loops read, in pointers of their own: the compiler need not fear that a store changes them.
  struct Lists {
    const Column *column, *end;
    const Block* blocks;
    const int* updates;
  };
  Lists lists() const {
    const Column* const first = schedule_->column_list();
    return {first, first + schedule_->columns(), schedule_->blocks(), schedule_->updates()};
  }

  template <int Size, bool Forward>
  int factorize_all(const Real* d, double mu, const double* least, Real* y) {
    int missing = 0;
    const Lists list = lists();
    Real* const values = values_.data();
    for (const Column* column = list.column; column != list.end; ++column) {
      visit<Size>(*column, [&](auto c) {
        constexpr int C = c.value;
        Real* const diagonal = values + column->diagonal;
        const int start = column->start;
        // Small blocks stay in registers.
        constexpr bool small = C <= 3;
        constexpr int stride = BlockSchedule::padded(C);
        Real copy[small ? C * stride : 1];
        Real* const L = small ? copy : diagonal;
        for (int k = 0; small && k < C; ++k) {
          for (int r = k; r < C; ++r) copy[k * stride + r] = diagonal[k * stride + r];
        }
        factorize_diagonal<C>(L, d + start, mu, least + start, missing);
        for (int k = 0; small && k < C; ++k) {
          for (int r = k; r < C; ++r) diagonal[k * stride + r] = copy[k * stride + r];
        }
        Real own[C] = {};
        if constexpr (Forward) forward_diagonal<C>(L, y + start, own);
        const int count = column->blocks_end - column->blocks;
        if (count == 0) return;
        if constexpr (Size == 2) {
          switch (count) {
            case 1: return eliminate_few<C, 1, Forward>(list, *column, values, L, y, own);
            case 2: return eliminate_few<C, 2, Forward>(list, *column, values, L, y, own);
            default: break;
          }
        }
        eliminate<C, Size, Forward>(list, *column, values, L, y, own);
      });
    }
    return missing;
  }

  // The diagonal of L is kept inverted.
  template <int C>
  static void factorize_diagonal(Real* L, const Real* d, double mu, const double* least, int& missing) {
    [&]<int... c>(std::integer_sequence<int, c...>) { (factorize_column<C, c>(L, d[c], mu, least[c], missing), ...); }
    (std::make_integer_sequence<int, C>());
  }
  template <int C, int c>
  static void factorize_column(Real* L, const Real& d, double mu, double least, int& missing) {
    constexpr int stride = BlockSchedule::padded(C);
    Real pivot = L[c * stride + c];
    if (mu != 0) pivot += mu * d;
    for (int p = 0; p < c; ++p) pivot -= L[p * stride + c] * L[p * stride + c];
    const Real inverse = inverse_root(pivot, least * d, missing);
    L[c * stride + c] = inverse;
    for (int r = c + 1; r < C; ++r) {
      Real value = L[c * stride + r];
      for (int p = 0; p < c; ++p) value -= L[p * stride + r] * L[p * stride + c];
      L[c * stride + r] = value * inverse;
    }
  }

  // C: size of the column; R: size of all blocks, 0 if they differ.
  template <int C, int R, bool Forward>
  static void eliminate(const Lists& list, const Column& column, Real* values, const Real* L, Real* y,
                        const Real* own) {
    constexpr int stride = BlockSchedule::padded(C);
    const Block* const blocks = list.blocks;
    Real* const panel = values + column.panel;
    Real* X = panel;
    const int end = column.blocks_end;
    for (int b = column.blocks; b < end; ++b) {
      const columns::Length<R> length(blocks[b].size);
      for (int c = 0; c < C; ++c) {
        for (int p = 0; p < c; ++p) columns::subtract(length, X + c * length, X + p * length, L[p * stride + c]);
        columns::scale(length, X + c * length, L[c * stride + c]);
      }
      if constexpr (Forward) columns::subtract_combination<C>(length, y + blocks[b].start, X, own);
      X += C * length;
    }
    const int* destination = list.updates + column.updates;
    const Real* left = panel;
    for (int j = column.blocks; j < end; ++j) {
      const int count = R > 0 ? R : blocks[j].size;
      const columns::Length<R> left_length(blocks[j].size);
      columns::subtract_lower_products<C>(left_length, count, values + *destination++, left);
      const Real* right = left + C * left_length;
      for (int i = j + 1; i < end; ++i) {
        const columns::Length<R> length(blocks[i].size);
        columns::subtract_products<C>(length, left_length, count, values + *destination++, right, left);
        right += C * length;
      }
      left += C * left_length;
    }
  }
  // The same for N blocks of the column's even size C.
  template <int C, int N, bool Forward>
  static void eliminate_few(const Lists& list, const Column& column, Real* values, const Real* L, Real* y,
                            const Real* own) {
    constexpr int step = Piece::rows, pieces = C / step;
    Real* const panel = values + column.panel;
    Piece X[N][C][pieces];
    for (int b = 0; b < N; ++b) {
      for (int c = 0; c < C; ++c) {
        for (int k = 0; k < pieces; ++k) {
          Real* const place = panel + (b * C + c) * C + k * step;
          Piece& piece = X[b][c][k];
          piece = Piece::load(place);
          for (int p = 0; p < c; ++p) piece.subtract(X[b][p][k], Piece::all(L[p * C + c]));
          piece = piece * Piece::all(L[c * C + c]);
        }
      }
    }
    for (int b = 0; b < N; ++b) {
      for (int c = 0; c < C; ++c) {
        for (int k = 0; k < pieces; ++k) X[b][c][k].store(panel + (b * C + c) * C + k * step);
      }
    }
    if constexpr (Forward) {
      for (int b = 0; b < N; ++b) {
        Real* const target = y + list.blocks[column.blocks + b].start;
        for (int k = 0; k < pieces; ++k) {
          Piece piece = Piece::load(target + k * step);
          for (int p = 0; p < C; ++p) piece.subtract(X[b][p][k], Piece::all(own[p]));
          piece.store(target + k * step);
        }
      }
    }
    const int* destination = list.updates + column.updates;
    for (int j = 0; j < N; ++j) {
      for (int i = j; i < N; ++i) {
        Real* const target = values + *destination++;
        for (int c = 0; c < C; ++c) {
          for (int k = 0; k < pieces; ++k) {
            Piece piece = Piece::load(target + c * C + k * step);
            for (int p = 0; p < C; ++p) piece.subtract(X[i][p][k], Piece::all(X[j][p][c / step][c % step]));
            piece.store(target + c * C + k * step);
          }
        }
      }
    }
  }

  // x := L^-1 x for a diagonal block, also as `y`
  template <int C>
  static void forward_diagonal(const Real* L, Real* x, Real* y) {
    constexpr int stride = BlockSchedule::padded(C);
    for (int c = 0; c < C; ++c) {
      Real value = x[c];
      for (int p = 0; p < c; ++p) value -= L[p * stride + c] * y[p];
      y[c] = value * L[c * stride + c];
      x[c] = y[c];
    }
  }
  template <int Size>
  void forward_all(Real* x) const {
    const Lists list = lists();
    const Real* const values = values_.data();
    for (const Column* column = list.column; column != list.end; ++column) {
      visit<Size>(*column, [&](auto c) {
        constexpr int C = c.value;
        Real y[C];
        forward_diagonal<C>(values + column->diagonal, x + column->start, y);
        const Real* X = values + column->panel;
        for (int b = column->blocks; b < column->blocks_end; ++b) {
          const columns::Length<Size> length(list.blocks[b].size);
          columns::subtract_combination<C>(length, x + list.blocks[b].start, X, y);
          X += C * length;
        }
      });
    }
  }

  template <int Size>
  void backward_all(Real* x) const {
    const Lists list = lists();
    const Real* const values = values_.data();
    for (const Column* column = list.end; column != list.column;) {
      --column;
      visit<Size>(*column, [&](auto c) {
        constexpr int C = c.value, stride = BlockSchedule::padded(C);
        const Real* const L = values + column->diagonal;
        Real* const own = x + column->start;
        Real y[C];
        for (int k = 0; k < C; ++k) y[k] = own[k];
        if (column->blocks < column->blocks_end) subtract_dots<C, Size>(list, *column, values + column->panel, x, y);
        for (int k = C - 1; k >= 0; --k) {
          for (int r = k + 1; r < C; ++r) y[k] -= L[k * stride + r] * y[r];
          y[k] *= L[k * stride + k];
          own[k] = y[k];
        }
      });
    }
  }
  // y -= X^T x for the blocks of a column, of which there is at least one; sums along pieces are left to the end
  template <int C, int R>
  static void subtract_dots(const Lists& list, const Column& column, const Real* X, const Real* x, Real* y) {
    const Block *block = list.blocks + column.blocks, *const end = list.blocks + column.blocks_end;
    if constexpr (C == 2 && R == 2) {
      do {
        const Real x0 = x[block->start], x1 = x[block->start + 1];
        y[0] -= X[0] * x0 + X[1] * x1;
        y[1] -= X[2] * x0 + X[3] * x1;
        X += 4;
      } while (++block != end);
      return;
    }
    Piece sums[C];
    for (int p = 0; p < C; ++p) sums[p] = Piece::all(Real(0));
    do {
      const columns::Length<R> length(block->size);
      const Real* const source = x + block->start;
      for (int r = 0; r < length; r += Piece::rows) {
        const Piece piece = Piece::load(source + r);
        for (int p = 0; p < C; ++p) sums[p].add(Piece::load(X + p * length + r), piece);
      }
      X += C * length;
    } while (++block != end);
    for (int p = 0; p < C; ++p) y[p] -= sums[p].sum();
  }

  static bool is_zero(double value) { return value == 0; }
  template <class Pack>
  static bool is_zero(const Pack& value) {
    return largest_lane(absolute(value)) == 0;
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

// Short columns of an even number of rows (BlockSchedule::padded): numbers two at a time in a vector register, packs
// one at a time, since a pack fills its registers alone.
#pragma once

#include "linear/block/block_schedule.h"

namespace bricard::columns {

/// Rows of a column, known to the compiler if R is not 0.
template <int R>
struct Length {
  explicit Length(int) {}
  constexpr operator int() const { return BlockSchedule::padded(R); }  // NOLINT(google-explicit-constructor)
};
template <>
struct Length<0> {
  explicit Length(int size) : value(BlockSchedule::padded(size)) {}
  operator int() const { return value; }  // NOLINT(google-explicit-constructor)
  int value;
};

/// What a column is cut into.
template <class Real>
struct Piece {
  static constexpr int rows = 1;
  Real value;
  static Piece load(const Real* p) { return {*p}; }
  void store(Real* p) const { *p = value; }
  static Piece all(const Real& x) { return {x}; }
  /// x at a row of the piece, if it is one of them.
  static Piece at(int row, const Real& x) { return {row == 0 ? x : Real(0)}; }
  const Real& operator[](int) const { return value; }
  void add(const Piece& a, const Piece& b) { value += a.value * b.value; }
  void subtract(const Piece& a, const Piece& b) { value -= a.value * b.value; }
  Piece operator*(const Piece& b) const { return {value * b.value}; }
  Real sum() const { return value; }
};
template <>
struct Piece<double> {
  static constexpr int rows = 2;
  using Pair = double __attribute__((vector_size(16)));
  using Aligned __attribute__((vector_size(16), may_alias)) = double;  // columns begin at even places
  Pair value;
  static Piece load(const double* p) { return {*reinterpret_cast<const Aligned*>(p)}; }
  void store(double* p) const { *reinterpret_cast<Aligned*>(p) = value; }
  static Piece all(double x) { return {Pair{x, x}}; }
  static Piece at(int row, double x) { return {Pair{row == 0 ? x : 0, row == 1 ? x : 0}}; }
  double operator[](int row) const { return value[row]; }
  void add(const Piece& a, const Piece& b) { value += a.value * b.value; }
  void subtract(const Piece& a, const Piece& b) { value -= a.value * b.value; }
  Piece operator*(const Piece& b) const { return {value * b.value}; }
  double sum() const { return value[0] + value[1]; }
};

// y -= a x
template <int R, class Real>
inline void subtract(Length<R> rows, Real* y, const Real* x, const Real& a) {
  const auto factor = Piece<Real>::all(a);
  for (int r = 0; r < rows; r += Piece<Real>::rows) {
    auto piece = Piece<Real>::load(y + r);
    piece.subtract(Piece<Real>::load(x + r), factor);
    piece.store(y + r);
  }
}

// y *= a
template <int R, class Real>
inline void scale(Length<R> rows, Real* y, const Real& a) {
  const auto factor = Piece<Real>::all(a);
  for (int r = 0; r < rows; r += Piece<Real>::rows) (Piece<Real>::load(y + r) * factor).store(y + r);
}

template <int R, class Real>
inline Real dot(Length<R> rows, const Real* x, const Real* y) {
  if constexpr (R == 2) return x[0] * y[0] + x[1] * y[1];  // less work than a sum along a register
  auto sum = Piece<Real>::load(x) * Piece<Real>::load(y);
  for (int r = Piece<Real>::rows; r < rows; r += Piece<Real>::rows)
    sum.add(Piece<Real>::load(x + r), Piece<Real>::load(y + r));
  return sum.sum();
}

// y -= X c, X with C columns
template <int C, int R, class Real>
inline void subtract_combination(Length<R> rows, Real* y, const Real* X, const Real* c) {
  for (int r = 0; r < rows; r += Piece<Real>::rows) {
    auto piece = Piece<Real>::load(y + r);
    for (int p = 0; p < C; ++p) piece.subtract(Piece<Real>::load(X + p * rows + r), Piece<Real>::all(c[p]));
    piece.store(y + r);
  }
}

// T -= X Y^T, X and Y with C columns; Y has `count` rows, T as many columns
template <int C, int R, class Real>
inline void subtract_products(Length<R> rows, Length<R> other_rows, int count, Real* T, const Real* X, const Real* Y) {
  for (int c = 0; c < count; ++c, T += rows) {
    for (int r = 0; r < rows; r += Piece<Real>::rows) {
      auto piece = Piece<Real>::load(T + r);
      for (int p = 0; p < C; ++p)
        piece.subtract(Piece<Real>::load(X + p * rows + r), Piece<Real>::all(Y[p * other_rows + c]));
      piece.store(T + r);
    }
  }
}

// T -= X X^T, from the diagonal on
template <int C, int R, class Real>
inline void subtract_lower_products(Length<R> rows, int count, Real* T, const Real* X) {
  for (int c = 0; c < count; ++c, T += rows) {
    for (int r = c / 2 * 2; r < rows; r += Piece<Real>::rows) {
      auto piece = Piece<Real>::load(T + r);
      for (int p = 0; p < C; ++p)
        piece.subtract(Piece<Real>::load(X + p * rows + r), Piece<Real>::all(X[p * rows + c]));
      piece.store(T + r);
    }
  }
}

// T = X X^T + Y Y^T for T of `count` columns, X and Y of A columns, from the diagonal on
template <int A, int R, class Real>
inline void set_squares(Length<R> rows, int count, Real* T, const Real* X, const Real* Y) {
  for (int c = 0; c < count; ++c, T += rows) {
    for (int r = c / 2 * 2; r < rows; r += Piece<Real>::rows) {
      auto piece = Piece<Real>::load(X + r) * Piece<Real>::all(X[c]);
      for (int p = 1; p < A; ++p) piece.add(Piece<Real>::load(X + p * rows + r), Piece<Real>::all(X[p * rows + c]));
      for (int p = 0; p < A; ++p) piece.add(Piece<Real>::load(Y + p * rows + r), Piece<Real>::all(Y[p * rows + c]));
      piece.store(T + r);
    }
  }
}

// Two rows and columns: T = X Y^T + w I for single columns X and Y
template <class Real>
inline void set_product(Real* T, const Real* X, const Real* Y, const Real& w) {
  for (int c = 0; c < 2; ++c) {
    for (int r = 0; r < 2; r += Piece<Real>::rows) {
      auto piece = Piece<Real>::at(c - r, w);
      piece.add(Piece<Real>::load(X + r), Piece<Real>::all(Y[c]));
      piece.store(T + 2 * c + r);
    }
  }
}

// T = X X^T + Y Y^T + w I likewise, and its diagonal
template <class Real>
inline void set_square(Real* T, Real* diagonal, const Real* X, const Real* Y, const Real& w) {
  for (int c = 0; c < 2; ++c) {
    for (int r = 0; r < 2; r += Piece<Real>::rows) {
      auto piece = Piece<Real>::at(c - r, w);
      piece.add(Piece<Real>::load(X + r), Piece<Real>::all(X[c]));
      piece.add(Piece<Real>::load(Y + r), Piece<Real>::all(Y[c]));
      piece.store(T + 2 * c + r);
      if (c >= r && c < r + Piece<Real>::rows) diagonal[c] = piece[c - r];
    }
  }
}

// T += X Y^T for T of `count` columns, X and Y of A columns; `Lower`: from the diagonal on; `Set`: T = X Y^T
template <int A, bool Lower, bool Set, int R, class Real>
inline void add_products(Length<R> rows, Length<R> other_rows, int count, Real* T, const Real* X, const Real* Y) {
  for (int c = 0; c < count; ++c, T += rows) {
    for (int r = Lower ? c / 2 * 2 : 0; r < rows; r += Piece<Real>::rows) {
      auto piece = Set ? Piece<Real>::all(Real(0)) : Piece<Real>::load(T + r);
      for (int p = 0; p < A; ++p)
        piece.add(Piece<Real>::load(X + p * rows + r), Piece<Real>::all(Y[p * other_rows + c]));
      piece.store(T + r);
    }
  }
}

}  // namespace bricard::columns

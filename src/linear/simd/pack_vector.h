// Vectors of space in the first three lanes of a pack, and matrices by their diagonals, which go on at the first column
// after the last one: a product of a matrix and a vector takes three products of lanes and no sums over them, and a
// symmetric matrix is two packs. What the fourth lane has is of no use; of vectors it stays zero.
#pragma once

#include "linear/simd/pack.h"

namespace bricard {

/// (y, z, x)
inline Pack next(const Pack& a) {
  Pack result;
  result.value = __builtin_shufflevector(a.value, a.value, 1, 2, 0, 3);
  return result;
}
/// (z, x, y)
inline Pack previous(const Pack& a) {
  Pack result;
  result.value = __builtin_shufflevector(a.value, a.value, 2, 0, 1, 3);
  return result;
}
/// In all lanes.
inline Pack total(const Pack& a) {
  Pack pairs, result;
  pairs.value = a.value + __builtin_shufflevector(a.value, a.value, 1, 0, 3, 2);
  result.value = pairs.value + __builtin_shufflevector(pairs.value, pairs.value, 2, 3, 0, 1);
  return result;
}
inline double sum(const Pack& a) { return a.value[0] + a.value[1] + a.value[2]; }

inline Pack zero_pack() {
  Pack result;
  result.value = Pack::Register{};
  return result;
}
/// The number in all lanes. Three more must lie behind it: a lane of a register is what every processor has an
/// instruction for.
inline Pack broadcast(const double& x) {
  const Pack& from = reinterpret_cast<const Pack&>(x);
  Pack result;
  result.value = __builtin_shufflevector(from.value, from.value, 0, 0, 0, 0);
  return result;
}
inline Pack vector_pack(const double* x) {
  Pack result;
  result.value = Pack::Register{x[0], x[1], x[2], 0};
  return result;
}

/// A vector that is a factor more than once.
struct PackFactor {
  Pack of, next, previous;
  explicit PackFactor(const Pack& a) : of(a), next(bricard::next(a)), previous(bricard::previous(a)) {}
};

/// a x b
inline Pack cross(const PackFactor& a, const PackFactor& b) { return a.next * b.previous - a.previous * b.next; }
/// x += a x b
inline void add_cross(Pack& x, const PackFactor& a, const PackFactor& b) {
  x += a.next * b.previous;
  x -= a.previous * b.next;
}

/// Matrix of columns times a vector.
inline Pack product(const Pack (&columns)[3], const double* x) {
  return columns[0] * x[0] + columns[1] * x[1] + columns[2] * x[2];
}
/// The same where three more numbers lie behind those of the vector.
inline Pack broadcast_product(const Pack (&columns)[3], const double* x) {
  return columns[0] * broadcast(x[0]) + columns[1] * broadcast(x[1]) + columns[2] * broadcast(x[2]);
}

/// (xx, yy, zz) and (yz, zx, xy)
struct SymmetricPack {
  Pack diagonal = zero_pack(), others = zero_pack();
  void operator+=(const SymmetricPack& b) { diagonal += b.diagonal, others += b.others; }
};
inline Pack operator*(const SymmetricPack& A, const PackFactor& x) {
  return A.diagonal * x.of + previous(A.others) * x.next + next(A.others) * x.previous;
}
/// x^T A x in all lanes
inline Pack square(const SymmetricPack& A, const PackFactor& x) {
  return total(A.diagonal * (x.of * x.of) + A.others * (2 * (x.next * x.previous)));
}

/// (xx, yy, zz), (xy, yz, zx) and (xz, yx, zy)
struct MatrixPack {
  Pack first = zero_pack(), second = zero_pack(), third = zero_pack();
  void operator+=(const MatrixPack& b) { first += b.first, second += b.second, third += b.third; }
};
inline Pack operator*(const MatrixPack& A, const PackFactor& x) {
  return A.first * x.of + A.second * x.next + A.third * x.previous;
}
/// A^T x
inline Pack transposed_product(const MatrixPack& A, const Pack& x) {
  return A.first * x + next(A.third * x) + previous(A.second * x);
}

}  // namespace bricard

// The triangular factor alone of a sparse rank-revealing QR (SuiteSparseQR): A E = Q [R1 R2; 0 0], R1 regular and upper
// triangular. Without Q it takes the memory of its numbers, and null spaces follow from it by substitutions
// that visit only what is not zero, so that their cost grows with the numbers that they find.
#pragma once

#include <utility>
#include <vector>

#include "bricard/types.h"
#include "linear/sparse.h"

namespace bricard {

struct SparseTriangle {
  SparseColumns R;         // rank x columns; R1 is its first `rank` columns
  std::vector<int> order;  // column k of R belongs to column order[k] of A
  int rank = 0;
};

/// Relative threshold: columns of which less than threshold * (longest column) is new count as dependent.
SparseTriangle triangle_of(const SparseColumns& A, double threshold);

/// How many numbers a sparse QR of A has at most, from its pattern alone.
double qr_numbers(const SparseColumns& A);

/// A sparse basis of the null space of A (columns x nullity): for each dependent column, the combination of the
/// independent ones that cancels it. Rounding is left out.
SparseColumns sparse_null_space(const SparseColumns& A, double threshold);

/// T x = b for sparse x and b, T upper triangular: entry by entry in the order of the elimination, of which only those
/// are visited that are not zero. The pattern of T would lead to many more [Gilbert, Peierls 1988]: where rows depend
/// on few others, most of what elimination could fill stays zero.
class SparseSubstitution {
 public:
  explicit SparseSubstitution(const SparseColumns& T);

  using Entries = std::vector<std::pair<int, double>>;
  /// The entries of x in the order in which they are found.
  void solve(const Entries& b, Entries& x);

 private:
  void add(int row, double value);

  SparseColumns T_;
  Vector diagonal_, x_;
  std::vector<char> waits_;
  std::vector<int> heap_;  // rows that wait, the last one first
};

}  // namespace bricard

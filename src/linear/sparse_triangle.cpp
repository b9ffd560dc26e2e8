#include "linear/sparse_triangle.h"

#include <SuiteSparseQR.hpp>
#include <algorithm>
#include <cmath>

#include "linear/cholmod.h"

namespace bricard {
namespace {

constexpr double rounding_of_factor = 1e-13;  // of the largest entry: what a factorisation leaves of zeros
constexpr double rounding_of_basis = 1e-11;   // of the largest entry of a vector

}  // namespace

SparseTriangle triangle_of(const SparseColumns& A, double threshold) {
  SparseTriangle result;
  const int columns = static_cast<int>(A.cols());
  result.order.resize(columns);
  for (int k = 0; k < columns; ++k) result.order[k] = k;
  result.R.resize(0, columns);
  if (A.rows() == 0 || columns == 0 || A.nonZeros() == 0) return result;

  // SuiteSparseQR's long integers.
  std::vector<SuiteSparse_long> outer(A.outerIndexPtr(), A.outerIndexPtr() + A.cols() + 1);
  std::vector<SuiteSparse_long> inner(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros());
  cholmod_sparse view{};
  view.nrow = A.rows(), view.ncol = A.cols(), view.nzmax = A.nonZeros();
  view.p = outer.data(), view.i = inner.data(), view.x = const_cast<double*>(A.valuePtr());
  view.stype = 0, view.itype = CHOLMOD_LONG, view.xtype = CHOLMOD_REAL, view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1, view.packed = 1;
  double largest = 0;
  for (int column = 0; column < columns; ++column) largest = std::max(largest, A.col(column).norm());

  Cholmod cholmod;
  cholmod_sparse* R = nullptr;
  SuiteSparse_long* order = nullptr;
  const SuiteSparse_long rank =
      SuiteSparseQR<double>(SPQR_ORDERING_DEFAULT, threshold * largest, 0, &view, &R, &order, cholmod.common());
  struct Freed {
    Cholmod& cholmod;
    cholmod_sparse*& R;
    SuiteSparse_long*& order;
    SuiteSparse_long columns;
    ~Freed() {
      cholmod_l_free_sparse(&R, cholmod.common());
      cholmod_l_free(columns, sizeof(SuiteSparse_long), order, cholmod.common());
    }
  } const freed{cholmod, R, order, columns};
  cholmod.check(rank >= 0 && R != nullptr);
  result.rank = static_cast<int>(rank);
  for (int k = 0; order && k < columns; ++k) result.order[k] = static_cast<int>(order[k]);

  const auto* p = static_cast<const SuiteSparse_long*>(R->p);
  const auto* rows = static_cast<const SuiteSparse_long*>(R->i);
  const auto* values = static_cast<const double*>(R->x);
  const double rounding = rounding_of_factor * largest;
  result.R.resize(result.rank, columns);
  result.R.reserve(p[columns]);
  std::vector<std::pair<int, double>> entries;
  for (int column = 0; column < columns; ++column) {
    entries.clear();
    for (SuiteSparse_long k = p[column]; k < p[column + 1]; ++k) {
      if (rows[k] < rank && (rows[k] == column || std::abs(values[k]) > rounding))
        entries.emplace_back(static_cast<int>(rows[k]), values[k]);
    }
    std::sort(entries.begin(), entries.end());
    result.R.startVec(column);
    for (const auto& [row, value] : entries) result.R.insertBack(row, column) = value;
  }
  result.R.finalize();
  return result;
}

SparseSubstitution::SparseSubstitution(SparseColumns T)
    : T_(std::move(T)), diagonal_(T_.diagonal()), x_(Vector::Zero(T_.rows())), waits_(T_.rows(), 0) {
  T_.makeCompressed();
}

void SparseSubstitution::add(int row, double value) {
  x_[row] += value;
  if (waits_[row]) return;
  waits_[row] = 1;
  heap_.push_back(row);
  std::push_heap(heap_.begin(), heap_.end());
}

void SparseSubstitution::solve(const Entries& b, Entries& x) {
  x.clear();
  for (const auto& [row, value] : b) add(row, value);
  double largest = 0;
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end());
    const int row = heap_.back();
    heap_.pop_back();
    const double value = x_[row] / diagonal_[row];
    x_[row] = 0;
    waits_[row] = 0;
    largest = std::max(largest, std::abs(value));
    if (std::abs(value) <= rounding_of_factor * largest) continue;
    for (SparseColumns::InnerIterator entry(T_, row); entry; ++entry) {
      if (entry.row() != row) add(static_cast<int>(entry.row()), -entry.value() * value);
    }
    x.emplace_back(row, value);
  }
}

SparseColumns sparse_null_space(const SparseColumns& A, double threshold) {
  const SparseTriangle triangle = triangle_of(A, threshold);
  const int columns = static_cast<int>(A.cols()), nullity = columns - triangle.rank;
  SparseColumns basis(columns, nullity);
  SparseSubstitution substitution(triangle.R.leftCols(triangle.rank));
  std::vector<Eigen::Triplet<double>> entries;
  SparseSubstitution::Entries b, x;
  for (int k = 0; k < nullity; ++k) {
    b.clear();
    for (SparseColumns::InnerIterator entry(triangle.R, triangle.rank + k); entry; ++entry)
      b.emplace_back(static_cast<int>(entry.row()), entry.value());
    substitution.solve(b, x);
    double largest = 1;
    for (const auto& [row, value] : x) largest = std::max(largest, std::abs(value));
    entries.emplace_back(triangle.order[triangle.rank + k], k, 1);
    for (const auto& [row, value] : x) {
      if (std::abs(value) > rounding_of_basis * largest) entries.emplace_back(triangle.order[row], k, -value);
    }
  }
  basis.setFromTriplets(entries.begin(), entries.end());
  return basis;
}

}  // namespace bricard

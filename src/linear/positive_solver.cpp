// The sparse factorisation K = L D L^T goes up-looking, a row of L at a time, by the triangular solution
//   L_11 D_11 l = k_12,   d = k_22 - l^T D_11 l,   [T. A. Davis, Direct Methods for Sparse Linear Systems, 2006, 4.8]
// with the pattern of every row of L found in advance, so that a factorisation is arithmetic only.
#include "linear/positive_solver.h"

#include <amd.h>
#include <lapacke.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "linear/blas_threads.h"

namespace bricard {
namespace {

// A pivot below this times the diagonal entry that it came from is what rounding has left of it.
constexpr double smallest_pivot = 4 * std::numeric_limits<double>::epsilon();

}  // namespace

class PositiveSolver::Backend {
 public:
  virtual ~Backend() = default;
  /// Where the entry (row, column) or its mirror image is stored.
  virtual int place(int row, int column) const = 0;
  virtual double* values() = 0;
  virtual void clear() = 0;
  virtual bool factorize() = 0;
  virtual void solve(Vector& x) const = 0;
};

class PositiveSolver::DenseBackend : public Backend {
 public:
  explicit DenseBackend(int n) : K_(n, n), diagonal_(n) { use_one_blas_thread(); }

  int place(int row, int column) const override {
    return std::max(row, column) + static_cast<int>(K_.rows()) * std::min(row, column);  // lower triangle
  }
  double* values() override { return K_.data(); }
  void clear() override { K_.setZero(); }

  bool factorize() override {
    const int n = static_cast<int>(K_.rows());
    if (n == 0) return true;
    diagonal_ = K_.diagonal();
    return diagonal_.allFinite() && LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, K_.data(), n) == 0 &&
           (K_.diagonal().array().square() > smallest_pivot * diagonal_.array()).all();
  }
  void solve(Vector& x) const override {
    const int n = static_cast<int>(K_.rows());
    if (n > 0) LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, K_.data(), n, x.data(), n);
  }

 private:
  Matrix K_;
  Vector diagonal_;
};

class PositiveSolver::SparseBackend : public Backend {
 public:
  /// `pattern`: of K, both triangles.
  explicit SparseBackend(const SparseColumns& pattern)
      : n_(static_cast<int>(pattern.rows())), position_(n_), D_(n_), row_(Vector::Zero(n_)), permuted_(n_) {
    std::vector<int> order(n_);
    if (amd_order(n_, pattern.outerIndexPtr(), pattern.innerIndexPtr(), order.data(), nullptr, nullptr) < 0)
      throw std::runtime_error("the order of a sparse factorisation was not found");
    for (int k = 0; k < n_; ++k) position_[order[k]] = k;
    std::vector<Eigen::Triplet<double>> entries;
    for (int column = 0; column < n_; ++column) {
      for (SparseColumns::InnerIterator entry(pattern, column); entry; ++entry) {
        const int i = position_[entry.row()], j = position_[column];
        if (i <= j) entries.emplace_back(i, j, 0);
      }
    }
    K_.resize(n_, n_);
    K_.setFromTriplets(entries.begin(), entries.end());
    find_pattern_of_L();
  }

  int place(int row, int column) const override {
    const auto [i, j] = std::minmax(position_[row], position_[column]);
    const int* first = K_.innerIndexPtr() + K_.outerIndexPtr()[j];
    const int* last = K_.innerIndexPtr() + K_.outerIndexPtr()[j + 1];
    return static_cast<int>(std::lower_bound(first, last, i) - K_.innerIndexPtr());
  }
  double* values() override { return K_.valuePtr(); }
  void clear() override { std::fill_n(K_.valuePtr(), K_.nonZeros(), 0.0); }

  bool factorize() override {
    std::copy_n(column_start_.begin(), n_, column_end_.begin());
    row_.setZero();
    for (int k = 0; k < n_; ++k) {
      for (SparseColumns::InnerIterator entry(K_, k); entry; ++entry) row_[entry.row()] = entry.value();
      const double diagonal = row_[k];
      double pivot = diagonal;
      row_[k] = 0;
      for (int at = row_start_[k]; at < row_start_[k + 1]; ++at) {
        const int i = row_columns_[at], end = column_end_[i]++;
        const double y = row_[i], l = y / D_[i];
        row_[i] = 0;
        for (int p = column_start_[i]; p < end; ++p) row_[column_rows_[p]] -= L_[p] * y;
        pivot -= l * y;
        L_[end] = l;
      }
      D_[k] = pivot;
      if (!(pivot > smallest_pivot * diagonal)) return false;
    }
    return true;
  }

  void solve(Vector& x) const override {
    for (int k = 0; k < n_; ++k) permuted_[position_[k]] = x[k];
    for (int j = 0; j < n_; ++j) {
      for (int p = column_start_[j]; p < column_start_[j + 1]; ++p) permuted_[column_rows_[p]] -= L_[p] * permuted_[j];
    }
    permuted_.array() /= D_.array();
    for (int j = n_ - 1; j >= 0; --j) {
      for (int p = column_start_[j]; p < column_start_[j + 1]; ++p) permuted_[j] -= L_[p] * permuted_[column_rows_[p]];
    }
    for (int k = 0; k < n_; ++k) x[k] = permuted_[position_[k]];
  }

 private:
  /// Row k of L is what the entries of row k of K reach in the elimination tree. [Davis, 4.1 and 4.2]
  void find_pattern_of_L() {
    std::vector<int> parent(n_, -1), seen(n_, -1), counts(n_, 0);
    row_start_.push_back(0);
    for (int k = 0; k < n_; ++k) {
      seen[k] = k;
      for (SparseColumns::InnerIterator entry(K_, k); entry; ++entry) {
        for (int i = static_cast<int>(entry.row()); seen[i] != k; i = parent[i]) {
          if (parent[i] < 0) parent[i] = k;
          seen[i] = k;
          ++counts[i];
          row_columns_.push_back(i);
        }
      }
      std::sort(row_columns_.begin() + row_start_[k], row_columns_.end());
      row_start_.push_back(static_cast<int>(row_columns_.size()));
    }
    column_start_.push_back(0);
    for (int count : counts) column_start_.push_back(column_start_.back() + count);
    column_end_ = column_start_;
    column_rows_.resize(row_columns_.size());
    for (int k = 0; k < n_; ++k) {
      for (int at = row_start_[k]; at < row_start_[k + 1]; ++at) column_rows_[column_end_[row_columns_[at]]++] = k;
    }
    L_.resize(row_columns_.size());
  }

  int n_;
  std::vector<int> position_;                                                           // in the order of elimination
  SparseColumns K_;                                                                     // in that order, upper triangle
  std::vector<int> row_start_, row_columns_, column_start_, column_end_, column_rows_;  // of L without its diagonal
  std::vector<double> L_;                                                               // by columns
  Vector D_, row_;
  mutable Vector permuted_;
};

PositiveSolver::PositiveSolver(const SparseColumns& M, const SparseRows& P, int largest_dense) {
  const int n = static_cast<int>(M.rows());
  if (n <= largest_dense) {
    backend_ = std::make_unique<DenseBackend>(n);
  } else {
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < n; ++k) {
      entries.emplace_back(k, k, 0);
      for (SparseColumns::InnerIterator entry(M, k); entry; ++entry) entries.emplace_back(entry.row(), k, 0);
    }
    for (int row = 0; row < P.outerSize(); ++row) {
      for (SparseRows::InnerIterator i(P, row); i; ++i) {
        for (SparseRows::InnerIterator j(P, row); j; ++j) entries.emplace_back(i.col(), j.col(), 0);
      }
    }
    SparseColumns pattern(n, n);
    pattern.setFromTriplets(entries.begin(), entries.end());
    backend_ = std::make_unique<SparseBackend>(pattern);
  }
  for (int column = 0; column < n; ++column) {
    for (SparseColumns::InnerIterator entry(M, column); entry; ++entry) {
      const int row = static_cast<int>(entry.row());
      mass_.push_back(row >= column ? backend_->place(row, column) : -1);
    }
  }
  const int* columns = P.innerIndexPtr();
  for (int row = 0; row < P.outerSize(); ++row) {
    for (int i = P.outerIndexPtr()[row]; i < P.outerIndexPtr()[row + 1]; ++i) {
      for (int j = P.outerIndexPtr()[row]; j <= i; ++j)
        products_.push_back({backend_->place(columns[i], columns[j]), i, j});
    }
  }
}

PositiveSolver::~PositiveSolver() = default;

bool PositiveSolver::factorize(const SparseColumns& M, const SparseRows& P, double a) {
  backend_->clear();
  double* K = backend_->values();
  const double *of_M = M.valuePtr(), *of_P = P.valuePtr();
  for (std::size_t k = 0; k < mass_.size(); ++k) {
    if (mass_[k] >= 0) K[mass_[k]] += of_M[k];
  }
  for (const Product& product : products_) K[product.place] += a * of_P[product.first] * of_P[product.second];
  return backend_->factorize();
}

void PositiveSolver::solve(Vector& x) const { backend_->solve(x); }

}  // namespace bricard

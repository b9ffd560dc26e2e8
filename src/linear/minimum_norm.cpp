#include "linear/minimum_norm.h"

#include <SuiteSparseQR.hpp>
#include <algorithm>

#include "linear/blas_threads.h"
#include "linear/cholmod.h"
#include "linear/sparse_triangle.h"

/// OpenBLAS' own start, which does nothing when called again.
extern "C" void gotoblas_init() __attribute__((weak));

namespace bricard {
namespace {
constexpr int largest_dense_matrix = 500;  // rows and columns; above, dense decompositions take seconds

// Every analysis finds a rank here, so this is in every program: its BLAS has one thread from the start on, whatever
// OPENBLAS_NUM_THREADS says to all programs of a machine. Threads that wait for each other take minutes on a busy one.
[[maybe_unused]] const bool one_thread = [] {
  if (gotoblas_init)
    gotoblas_init();  // of an archive it comes later than this otherwise, and finds half of its work done
  use_one_blas_thread();
  return true;
}();
}  // namespace

// A^T E = Q R with R = [R1 R2; 0 0], R1 (rank x rank) triangular.
struct MinimumNorm::Sparse {
  Cholmod cholmod;
  SuiteSparseQR_factorization<double>* factor = nullptr;
  SparseColumns transposed;
  double threshold = 0;
  Sparse() { use_one_blas_thread(); }
  ~Sparse() { SuiteSparseQR_free(&factor, cholmod.common()); }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;

  /// Frees the vector when it leaves the scope.
  struct Owned {
    Cholmod& cholmod;
    cholmod_dense* dense;
    ~Owned() { cholmod_l_free_dense(&dense, cholmod.common()); }
    const double* values() const { return static_cast<const double*>(dense->x); }
  };

  static cholmod_dense view(const double* values, std::size_t size) {
    cholmod_dense dense{};
    dense.nrow = size, dense.ncol = 1, dense.nzmax = size, dense.d = size;
    dense.x = const_cast<double*>(values);  // CHOLMOD's views are not const; these are only read
    dense.xtype = CHOLMOD_REAL, dense.dtype = CHOLMOD_DOUBLE;
    return dense;
  }
};

MinimumNorm::MinimumNorm() = default;
MinimumNorm::~MinimumNorm() = default;

void MinimumNorm::factorize(const SparseRows& A, double threshold) {
  rows_ = static_cast<int>(A.rows());
  columns_ = static_cast<int>(A.cols());
  dependent_.clear();
  sparse_.reset();
  rank_ = 0;
  if (rows_ == 0 || columns_ == 0) {
    for (int row = 0; row < rows_; ++row) dependent_.push_back(row);
    return;
  }
  if (std::max(rows_, columns_) <= largest_dense_matrix) {
    dense_.setThreshold(threshold);
    dense_.compute(Matrix(A.transpose()));
    rank_ = static_cast<int>(dense_.rank());
    for (int k = rank_; k < rows_; ++k) dependent_.push_back(dense_.colsPermutation().indices()[k]);
    std::sort(dependent_.begin(), dependent_.end());
    return;
  }
  sparse_ = std::make_unique<Sparse>();
  sparse_->transposed = SparseColumns(A.transpose());
  const SparseColumns& T = sparse_->transposed;
  // SuiteSparseQR's long integers.
  std::vector<SuiteSparse_long> outer(T.outerIndexPtr(), T.outerIndexPtr() + T.cols() + 1);
  std::vector<SuiteSparse_long> inner(T.innerIndexPtr(), T.innerIndexPtr() + T.nonZeros());
  cholmod_sparse view{};
  view.nrow = T.rows(), view.ncol = T.cols(), view.nzmax = T.nonZeros();
  view.p = outer.data(), view.i = inner.data(), view.x = const_cast<double*>(T.valuePtr());
  view.stype = 0, view.itype = CHOLMOD_LONG, view.xtype = CHOLMOD_REAL, view.dtype = CHOLMOD_DOUBLE;
  view.sorted = 1, view.packed = 1;
  double largest = 0;
  for (int column = 0; column < T.cols(); ++column) largest = std::max(largest, T.col(column).norm());
  sparse_->threshold = threshold;
  Cholmod& cholmod = sparse_->cholmod;
  sparse_->factor =
      SuiteSparseQR_factorize<double>(SPQR_ORDERING_DEFAULT, threshold * largest, &view, cholmod.common());
  cholmod.checked(sparse_->factor);
  rank_ = static_cast<int>(sparse_->factor->rank);
  // Rmap[k] >= rank: column k of the permuted matrix was found dead.
  const SuiteSparse_long* Rmap = sparse_->factor->Rmap;
  const SuiteSparse_long* order = sparse_->factor->Q1fill;
  for (int k = 0; Rmap && k < rows_; ++k) {
    if (Rmap[k] >= rank_) dependent_.push_back(static_cast<int>(order ? order[k] : k));
  }
  std::sort(dependent_.begin(), dependent_.end());
}

void MinimumNorm::solve(const Vector& b, Vector& x) const {
  x.setZero(columns_);
  if (rank_ == 0) return;
  if (!sparse_) {
    x = dense_.transpose().solve(b);
    return;
  }
  // A = E R^T Q^T: solve R^T y = E^T b for the basic solution, x = Q y, which lies in the row space and so is of least
  // norm.
  Cholmod& cholmod = sparse_->cholmod;
  cholmod_dense right = Sparse::view(b.data(), rows_);
  const Sparse::Owned y{
      cholmod, cholmod.checked(SuiteSparseQR_solve(SPQR_RTX_EQUALS_ETB, sparse_->factor, &right, cholmod.common()))};
  const Sparse::Owned result{cholmod,
                             cholmod.checked(SuiteSparseQR_qmult(SPQR_QX, sparse_->factor, y.dense, cholmod.common()))};
  std::copy_n(result.values(), columns_, x.data());
}

Matrix MinimumNorm::row_null_space() const {
  const int nullity = rows_ - rank_;
  if (nullity == 0) return Matrix(rows_, 0);
  if (rank_ == 0) return Matrix::Identity(rows_, nullity);
  if (sparse_) return Matrix(sparse_row_null_space());
  // A^T P = Q [T 0; 0 0] Z: the last rows of Z span the null space.
  const Matrix projector = Matrix(dense_.matrixZ().adjoint()).rightCols(nullity);
  return dense_.colsPermutation() * projector;
}

SparseColumns MinimumNorm::sparse_row_null_space() const {
  if (rank_ == rows_) return {rows_, 0};
  if (!sparse_) return row_null_space().sparseView();
  return sparse_null_space(sparse_->transposed, sparse_->threshold);
}

}  // namespace bricard

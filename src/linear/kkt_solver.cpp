#include "linear/kkt_solver.h"

#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "linear/blas_threads.h"
#include "linear/sparse_lu.h"

namespace bricard {

class KktSolver::Backend {
 public:
  virtual ~Backend() = default;
  virtual bool factorize(const SparseColumns& M, const SparseRows& P, ConstVector shift, double mu) = 0;
  virtual bool solve(Vector& right_side) = 0;
};

class KktSolver::DenseBackend : public Backend {
 public:
  DenseBackend(int n, int m) : K_(n + m, n + m), pivots_(n + m), work_(64 * (n + m) + 1) { use_one_blas_thread(); }

  bool factorize(const SparseColumns& M, const SparseRows& P, ConstVector shift, double mu) override {
    const int n = static_cast<int>(M.rows()), size = static_cast<int>(K_.rows());
    if (size == 0) return true;
    K_.setZero();
    for (int column = 0; column < n; ++column) {
      for (SparseColumns::InnerIterator entry(M, column); entry; ++entry) K_(entry.row(), column) = entry.value();
    }
    if (shift.size() > 0) K_.diagonal().head(n) += shift;
    for (int row = 0; row < P.outerSize(); ++row) {
      for (SparseRows::InnerIterator entry(P, row); entry; ++entry)
        K_(n + row, entry.col()) = entry.value();  // lower triangle
      K_(n + row, n + row) = -mu;
    }
    return LAPACKE_dsytrf_work(LAPACK_COL_MAJOR, 'L', size, K_.data(), size, pivots_.data(), work_.data(),
                               static_cast<lapack_int>(work_.size())) == 0;
  }

  bool solve(Vector& right_side) override {
    const int size = static_cast<int>(K_.rows());
    if (size == 0) return true;
    LAPACKE_dsytrs_work(LAPACK_COL_MAJOR, 'L', size, 1, K_.data(), size, pivots_.data(), right_side.data(), size);
    return right_side.allFinite();
  }

 private:
  Matrix K_;
  std::vector<lapack_int> pivots_;
  std::vector<double> work_;
};

class KktSolver::SparseBackend : public Backend {
 public:
  SparseBackend(const SparseColumns& M, const SparseRows& P) : lu_(pattern(M, P), tolerable_residual) {
    // Destinations of every value of M and P, so that filling K is plain copying.
    const int n = static_cast<int>(M.rows()), m = static_cast<int>(P.rows());
    for (int k = 0; k < n; ++k) {
      diagonal_.push_back(lu_.place(k, k));
      for (SparseColumns::InnerIterator entry(M, k); entry; ++entry)
        mass_.push_back(lu_.place(static_cast<int>(entry.row()), k));
    }
    for (int row = 0; row < m; ++row) {
      diagonal_.push_back(lu_.place(n + row, n + row));
      for (SparseRows::InnerIterator entry(P, row); entry; ++entry) {
        jacobian_.push_back(lu_.place(n + row, static_cast<int>(entry.col())));
        jacobian_.push_back(lu_.place(static_cast<int>(entry.col()), n + row));
      }
    }
  }

  bool factorize(const SparseColumns& M, const SparseRows& P, ConstVector shift, double mu) override {
    double* values = lu_.values();
    std::fill_n(values, lu_.matrix().nonZeros(), 0.0);
    for (std::size_t k = 0; k < mass_.size(); ++k) values[mass_[k]] += M.valuePtr()[k];
    for (std::size_t k = 0; k < jacobian_.size(); ++k) values[jacobian_[k]] += P.valuePtr()[k / 2];
    const int n = static_cast<int>(M.rows());
    for (int k = 0; k < shift.size(); ++k) values[diagonal_[k]] += shift[k];
    for (std::size_t k = n; k < diagonal_.size(); ++k) values[diagonal_[k]] -= mu;
    return lu_.factorize();
  }

  /// Beyond what refinement gives, the matrix is as good as singular and the caller's checks decide.
  bool solve(Vector& right_side) override { return lu_.solve(right_side); }

 private:
  static constexpr double tolerable_residual = 1e-11;

  static SparseColumns pattern(const SparseColumns& M, const SparseRows& P) {
    const int n = static_cast<int>(M.rows()), m = static_cast<int>(P.rows());
    std::vector<Eigen::Triplet<double>> entries;
    for (int k = 0; k < n; ++k) {
      entries.emplace_back(k, k, 0);
      for (SparseColumns::InnerIterator entry(M, k); entry; ++entry) entries.emplace_back(entry.row(), k, 0);
    }
    for (int row = 0; row < m; ++row) {
      entries.emplace_back(n + row, n + row, 0);
      for (SparseRows::InnerIterator entry(P, row); entry; ++entry) {
        entries.emplace_back(n + row, entry.col(), 0);
        entries.emplace_back(entry.col(), n + row, 0);
      }
    }
    SparseColumns K(n + m, n + m);
    K.setFromTriplets(entries.begin(), entries.end());
    return K;
  }

  SparseLu lu_;
  std::vector<int> mass_, jacobian_, diagonal_;  // places in lu_'s matrix
};

KktSolver::KktSolver(const SparseColumns& M, const SparseRows& P, int largest_dense)
    : n_(static_cast<int>(M.rows())), m_(static_cast<int>(P.rows())), right_side_(n_ + m_) {
  if (n_ + m_ <= largest_dense) {
    backend_ = std::make_unique<DenseBackend>(n_, m_);
  } else {
    backend_ = std::make_unique<SparseBackend>(M, P);
  }
}

KktSolver::~KktSolver() = default;

bool KktSolver::factorize(const SparseColumns& M, const SparseRows& P, ConstVector shift, double mu) {
  return backend_->factorize(M, P, shift, mu);
}

bool KktSolver::solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y) {
  right_side_.head(n_) = f;
  right_side_.tail(m_) = g;
  if (!backend_->solve(right_side_)) return false;
  x = right_side_.head(n_);
  y = right_side_.tail(m_);
  return true;
}

}  // namespace bricard

#include "integrators/dae/dae_matrix.h"

#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "linear/blas_threads.h"
#include "linear/sparse_lu.h"

namespace bricard {

class DaeMatrix::Backend {
 public:
  virtual ~Backend() = default;
  virtual bool factorize(const Terms& terms) = 0;
  virtual void solve(Vector& right_side) = 0;
  virtual long factor_nonzeros() const = 0;
};

class DaeMatrix::DenseBackend : public Backend {
 public:
  explicit DenseBackend(int size) : J_(size, size), pivots_(size) { use_one_blas_thread(); }

  bool factorize(const Terms& terms) override {
    const int n = static_cast<int>(terms.M.rows()), size = static_cast<int>(J_.rows());
    if (size == 0) return true;
    J_.setZero();
    const auto add = [this](const SparseColumns& part, double factor, int first_column) {
      for (int column = 0; column < part.cols(); ++column)
        for (SparseColumns::InnerIterator entry(part, column); entry; ++entry)
          J_(entry.row(), first_column + column) += factor * entry.value();
    };
    add(terms.M, terms.m, 0);
    add(terms.C, terms.c, 0);
    add(terms.K, terms.k, 0);
    add(terms.F, -1, n);
    for (int row = 0; row < terms.P.outerSize(); ++row) {
      for (SparseRows::InnerIterator entry(terms.P, row); entry; ++entry) {
        J_(n + row, entry.col()) = entry.value();
        J_(entry.col(), n + row) += entry.value();
      }
      J_(n + row, n + row) = -terms.epsilon;
    }
    return J_.allFinite() && LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, J_.data(), size, pivots_.data()) == 0;
  }

  void solve(Vector& right_side) override {
    const int size = static_cast<int>(J_.rows());
    if (size == 0) return;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', size, 1, J_.data(), size, pivots_.data(), right_side.data(), size);
  }
  long factor_nonzeros() const override { return static_cast<long>(J_.size()); }

 private:
  Matrix J_;
  std::vector<lapack_int> pivots_;
};

class DaeMatrix::SparseBackend : public Backend {
 public:
  explicit SparseBackend(const Terms& terms) : lu_(pattern(terms)) {
    // Where every value goes, so that filling the matrix is adding at known places.
    for_each_entry(terms, [&](int row, int column) { places_.push_back(lu_.place(row, column)); });
  }

  bool factorize(const Terms& terms) override {
    double* values = lu_.values();
    std::fill_n(values, lu_.matrix().nonZeros(), 0.0);
    const int* place = places_.data();
    const auto add = [&](const SparseColumns& part, double factor) {
      for (Eigen::Index k = 0; k < part.nonZeros(); ++k) values[*place++] += factor * part.valuePtr()[k];
    };
    add(terms.M, terms.m);
    add(terms.C, terms.c);
    add(terms.K, terms.k);
    add(terms.F, -1);
    for (Eigen::Index k = 0; k < terms.P.nonZeros(); ++k) {
      values[*place++] += terms.P.valuePtr()[k];
      values[*place++] += terms.P.valuePtr()[k];
    }
    for (Eigen::Index row = 0; row < terms.P.rows(); ++row) values[*place++] -= terms.epsilon;
    return lu_.factorize();
  }

  void solve(Vector& right_side) override { lu_.solve(right_side); }
  long factor_nonzeros() const override { return lu_.factor_nonzeros(); }

 private:
  static SparseColumns pattern(const Terms& terms) {
    const int size = static_cast<int>(terms.M.rows() + terms.P.rows());
    std::vector<Eigen::Triplet<double>> entries;
    for_each_entry(terms, [&](int row, int column) { entries.emplace_back(row, column, 0); });
    SparseColumns matrix(size, size);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }
  template <class Visit>
  static void for_each_entry(const Terms& terms, const Visit& visit) {
    const int n = static_cast<int>(terms.M.rows());
    const auto visit_part = [&](const SparseColumns& part, int first_column) {
      for (int column = 0; column < part.cols(); ++column)
        for (SparseColumns::InnerIterator entry(part, column); entry; ++entry)
          visit(static_cast<int>(entry.row()), first_column + column);
    };
    visit_part(terms.M, 0);
    visit_part(terms.C, 0);
    visit_part(terms.K, 0);
    visit_part(terms.F, n);
    for (int row = 0; row < terms.P.outerSize(); ++row)
      for (SparseRows::InnerIterator entry(terms.P, row); entry; ++entry) {
        visit(n + row, static_cast<int>(entry.col()));
        visit(static_cast<int>(entry.col()), n + row);
      }
    for (int row = 0; row < terms.P.rows(); ++row) visit(n + row, n + row);
  }

  SparseLu lu_;
  std::vector<int> places_;
};

DaeMatrix::DaeMatrix(const Terms& terms, bool dense)
    : n_(static_cast<int>(terms.M.rows())), rows_(static_cast<int>(terms.P.rows())), right_side_(n_ + rows_) {
  if (dense)
    backend_ = std::make_unique<DenseBackend>(n_ + rows_);
  else
    backend_ = std::make_unique<SparseBackend>(terms);
}

DaeMatrix::~DaeMatrix() = default;

bool DaeMatrix::factorize(const Terms& terms) { return backend_->factorize(terms); }

long DaeMatrix::factor_nonzeros() const { return backend_->factor_nonzeros(); }

bool DaeMatrix::solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y) {
  right_side_.head(n_) = f;
  right_side_.tail(rows_) = g;
  backend_->solve(right_side_);
  x = right_side_.head(n_);
  y = right_side_.tail(rows_);
  return right_side_.allFinite();
}

}  // namespace bricard

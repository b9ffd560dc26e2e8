#include "integrators/dae_matrix.h"

#include <klu.h>
#include <lapacke.h>

#include <algorithm>
#include <vector>

#include "linear/blas_threads.h"

namespace bricard {

class DaeMatrix::Backend {
 public:
  virtual ~Backend() = default;
  virtual bool factorize(const Terms& terms) = 0;
  virtual void solve(Vector& right_side) = 0;
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

 private:
  Matrix J_;
  std::vector<lapack_int> pivots_;
};

class DaeMatrix::SparseBackend : public Backend {
 public:
  explicit SparseBackend(const Terms& terms) {
    const int n = static_cast<int>(terms.M.rows()), rows = static_cast<int>(terms.P.rows());
    std::vector<Eigen::Triplet<double>> entries;
    for_each_entry(terms, [&](int row, int column) { entries.emplace_back(row, column, 0); });
    J_.resize(n + rows, n + rows);
    J_.setFromTriplets(entries.begin(), entries.end());
    // Where every value goes, so that filling J is adding at known places.
    for_each_entry(terms, [&](int row, int column) { places_.push_back(place(row, column)); });
    residual_.resize(n + rows);
    solution_.resize(n + rows);
    klu_defaults(&common_);
    symbolic_ = klu_analyze(n + rows, J_.outerIndexPtr(), J_.innerIndexPtr(), &common_);
  }
  ~SparseBackend() override {
    klu_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }
  SparseBackend(const SparseBackend&) = delete;
  SparseBackend& operator=(const SparseBackend&) = delete;

  bool factorize(const Terms& terms) override {
    if (symbolic_ == nullptr) return false;
    double* values = J_.valuePtr();
    std::fill_n(values, J_.nonZeros(), 0.0);
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
    // New pivots every time: the matrix is factorised seldom, and its stiff terms come and go.
    klu_free_numeric(&numeric_, &common_);
    numeric_ = klu_factor(J_.outerIndexPtr(), J_.innerIndexPtr(), values, symbolic_, &common_);
    return numeric_ != nullptr && common_.status == KLU_OK;
  }

  void solve(Vector& right_side) override {
    const int size = static_cast<int>(right_side.size());
    solution_ = right_side;
    klu_solve(symbolic_, numeric_, size, 1, solution_.data(), &common_);
    residual_ = right_side;
    residual_.noalias() -= J_ * solution_;
    klu_solve(symbolic_, numeric_, size, 1, residual_.data(), &common_);
    right_side = solution_ + residual_;
  }

 private:
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
  int place(int row, int column) const {
    const int* first = J_.innerIndexPtr() + J_.outerIndexPtr()[column];
    const int* last = J_.innerIndexPtr() + J_.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - J_.innerIndexPtr());
  }

  SparseColumns J_;
  std::vector<int> places_;
  Vector residual_, solution_;
  klu_common common_{};
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
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

bool DaeMatrix::solve(ConstVector f, ConstVector g, VectorRef x, VectorRef y) {
  right_side_.head(n_) = f;
  right_side_.tail(rows_) = g;
  backend_->solve(right_side_);
  x = right_side_.head(n_);
  y = right_side_.tail(rows_);
  return right_side_.allFinite();
}

}  // namespace bricard

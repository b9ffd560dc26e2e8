#include "linear/sparse_lu.h"

#include <klu.h>

#include <algorithm>
#include <new>

namespace bricard {

namespace {
constexpr double accurate_residual = 1e-11;  // relative to the right side: nothing is left to refine
}

struct SparseLu::Factors {
  ~Factors() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
  void check_memory() const {
    if (common.status == KLU_OUT_OF_MEMORY || common.status == KLU_TOO_LARGE) throw std::bad_alloc();
  }
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;
};

SparseLu::SparseLu(const SparseColumns& pattern, double tolerable_residual)
    : matrix_(pattern), tolerable_residual_(tolerable_residual), factors_(std::make_unique<Factors>()) {
  matrix_.makeCompressed();
  const int size = static_cast<int>(matrix_.rows());
  solution_.resize(size);
  residual_.resize(size);
  klu_defaults(&factors_->common);
  if (size > 0) {
    factors_->symbolic = klu_analyze(size, matrix_.outerIndexPtr(), matrix_.innerIndexPtr(), &factors_->common);
    factors_->check_memory();
  }
}

SparseLu::~SparseLu() = default;

long SparseLu::factor_nonzeros() const {
  return factors_->numeric ? static_cast<long>(factors_->numeric->lnz) + factors_->numeric->unz : 0;
}

int SparseLu::place(int row, int column) const {
  const int* first = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
  const int* last = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
  return static_cast<int>(std::lower_bound(first, last, row) - matrix_.innerIndexPtr());
}

bool SparseLu::factorize() {
  if (matrix_.rows() == 0) return true;
  if (factors_->symbolic == nullptr) return false;
  fresh_ = false;
  if (factors_->numeric != nullptr &&
      klu_refactor(matrix_.outerIndexPtr(), matrix_.innerIndexPtr(), matrix_.valuePtr(), factors_->symbolic,
                   factors_->numeric, &factors_->common) == 1 &&
      factors_->common.status == KLU_OK)
    return true;
  return factor_anew();
}

bool SparseLu::factor_anew() {
  klu_free_numeric(&factors_->numeric, &factors_->common);
  factors_->numeric = klu_factor(matrix_.outerIndexPtr(), matrix_.innerIndexPtr(), matrix_.valuePtr(),
                                 factors_->symbolic, &factors_->common);
  factors_->check_memory();
  fresh_ = true;
  ++pivotings_;
  return factors_->numeric != nullptr && factors_->common.status == KLU_OK;
}

void SparseLu::solve_once(const Vector& right_side) {
  const int size = static_cast<int>(right_side.size());
  solution_ = right_side;
  klu_solve(factors_->symbolic, factors_->numeric, size, 1, solution_.data(), &factors_->common);
  residual_ = right_side;
  residual_.noalias() -= matrix_ * solution_;
}

bool SparseLu::solve(Vector& right_side) {
  if (matrix_.rows() == 0) return true;
  solve_once(right_side);
  const double size = right_side.lpNorm<Eigen::Infinity>();
  const auto is_within = [&](double residual) { return residual_.lpNorm<Eigen::Infinity>() <= residual * size; };
  if (!fresh_ && !is_within(tolerable_residual_)) {
    if (!factor_anew()) return false;
    solve_once(right_side);
  }
  if (!is_within(accurate_residual)) {
    klu_solve(factors_->symbolic, factors_->numeric, static_cast<int>(residual_.size()), 1, residual_.data(),
              &factors_->common);
    solution_ += residual_;
  }
  right_side = solution_;
  return right_side.allFinite();
}

}  // namespace bricard

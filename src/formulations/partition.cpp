#include "formulations/partition.h"

#include <cmath>

#include "selections/given.h"

namespace bricard {

namespace {

std::unique_ptr<Selection> create_selection(const FormulationOptions& options) {
  const Vector scale = options.typical_inertia.cwiseSqrt().cwiseInverse();
  auto selection = options.independent.rows() > 0 ? given_selection(options.independent * scale.asDiagonal())
                                                  : find_selection_type(options.selection)->create();
  return options.keep_partition ? kept_selection(std::move(selection)) : std::move(selection);
}

}  // namespace

Partition::Partition(const Equations& pattern, const FormulationOptions& options)
    : dense_(pattern, options),
      selection_(create_selection(options)),
      limit_(options.hysteresis),
      all_rows_(pattern.rows()),
      scale_(options.typical_inertia.cwiseSqrt().cwiseInverse()),
      row_scale_(pattern.velocities() > 0 ? std::sqrt(options.typical_inertia.minCoeff()) : 1),
      work_(pattern.velocities()) {}

bool Partition::choose(const Equations& eq, int freedoms) {
  dense_.set_matrices(eq);
  const int n = eq.velocities();
  std::vector<int> independent, dependent;
  if (n == 0) {  // coordinates that satisfy every joint of a locked mechanism
    for (int k = 0; k < all_rows_; ++k) dependent.push_back(k);
  } else if (all_rows_ > 0) {
    Eigen::ColPivHouseholderQR<Matrix> rows(dense_.P.transpose());
    rows.setThreshold(std::max(dense_.threshold, 1e-8));
    const auto& order = rows.colsPermutation().indices();
    for (int k = 0; k < all_rows_; ++k) (k < rows.rank() ? independent : dependent).push_back(order[k]);
  }
  if (freedoms >= 0 && n - static_cast<int>(independent.size()) != freedoms) return false;
  rows_ = independent;
  dependent_rows_ = dependent;
  Matrix P(rank(), n);
  for (int k = 0; k < rank(); ++k) P.row(k) = dense_.P.row(rows_[k]);
  selected_ = n > 0 ? selection_->choose(P, dense_.M) : Selected{{}, Matrix(0, 0)};
  // A Boolean choice means the coordinates themselves; a combination stays dimensionless.
  B_ = coordinates().empty() ? Matrix(selected_.B * scale_.cwiseInverse().asDiagonal()) : selected_.B;
  A_.resize(n, n);
  R_.resize(n, n - rank());
  factor_ = Eigen::PartialPivLU<Matrix>(n);
  reduced_.resize(n);
  if (!factorize(eq)) return false;
  chosen_quality_ = quality_;
  return true;
}

bool Partition::factorize(const Equations& eq) {
  const int n = eq.velocities();
  dense_.set_matrices(eq);
  for (int k = 0; k < rank(); ++k) A_.row(k) = dense_.P.row(rows_[k]);
  A_.bottomRows(n - rank()) = selected_.B;
  R_is_current_ = false;
  if (n == 0) return true;
  factor_.compute(A_);
  const auto pivots = factor_.matrixLU().diagonal().cwiseAbs();
  quality_ = pivots.minCoeff() / pivots.maxCoeff();
  return quality_ > 1e-12 && std::isfinite(quality_);
}

bool Partition::is_outdated() const {
  return selection_->is_outdated(selected_, A_.topRows(rank()), dense_.M, quality_ / chosen_quality_, limit_);
}

void Partition::solve_in_place(Vector& x) const {
  factor_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(x);
  factor_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(x);
}

void Partition::solve(ConstVector row_part, ConstVector free_part, Vector& x) {
  if (A_.rows() == 0) return;  // nothing can move
  for (int k = 0; k < rank(); ++k) reduced_[k] = row_scale_ * row_part[rows_[k]];
  for (int k = 0; k < freedoms(); ++k) {
    // A Boolean z is a coordinate v_i = scale_i w_i.
    reduced_[rank() + k] = coordinates().empty() ? free_part[k] : free_part[k] / scale_[coordinates()[k]];
  }
  x.noalias() = factor_.permutationP() * reduced_;
  solve_in_place(x);
  x.array() *= scale_.array();
}

const Matrix& Partition::R() {
  if (R_is_current_) return R_;
  for (int k = 0; k < freedoms(); ++k) {
    reduced_.setZero();
    reduced_[rank() + k] = coordinates().empty() ? 1 : 1 / scale_[coordinates()[k]];
    work_.noalias() = factor_.permutationP() * reduced_;
    solve_in_place(work_);
    R_.col(k) = work_.cwiseProduct(scale_);
  }
  R_is_current_ = true;
  return R_;
}

void Partition::multipliers(const Vector& force, Vector& lambda) {
  // [P_r^T B^T] [mu; 0] = force: a basic solution on the independent rows.
  const auto transposed = [&](Vector& x) {
    factor_.matrixLU().triangularView<Eigen::Upper>().transpose().solveInPlace(x);
    factor_.matrixLU().triangularView<Eigen::UnitLower>().transpose().solveInPlace(x);
    reduced_.noalias() = factor_.permutationP().transpose() * x;
  };
  lambda.setZero();
  if (A_.rows() == 0) return;
  work_ = force.cwiseProduct(scale_);
  transposed(work_);
  for (int k = 0; k < rank(); ++k) lambda[rows_[k]] = reduced_[k];
  if (redundant()) {
    // Null space of P^T, one column for each dependent row; take the part of lambda along it away.
    const int nullity = static_cast<int>(dependent_rows_.size());
    N_.setZero(all_rows_, nullity);
    for (int d = 0; d < nullity; ++d) {
      work_ = dense_.P.row(dependent_rows_[d]).transpose();
      transposed(work_);
      for (int k = 0; k < rank(); ++k) N_(rows_[k], d) = -reduced_[k];
      N_(dependent_rows_[d], d) = 1;
    }
    const Vector along = (N_.transpose() * N_).llt().solve(N_.transpose() * lambda);
    lambda.noalias() -= N_ * along;
  }
  lambda *= row_scale_;
}

}  // namespace bricard

#include "formulations/dense_equations.h"

#include <algorithm>
#include <cmath>

namespace bricard {

DenseEquations::DenseEquations(const Equations& pattern, const FormulationOptions& options)
    : M(pattern.velocities(), pattern.velocities()),
      P(pattern.rows(), pattern.velocities()),
      Q(pattern.velocities()),
      gamma(pattern.rows()),
      column_scale_(options.typical_inertia.cwiseSqrt().cwiseInverse()),
      row_scale_(pattern.velocities() > 0 ? std::sqrt(options.typical_inertia.minCoeff()) : 1),
      chosen_threshold_(options.threshold * (options.threshold_is_absolute ? row_scale_ : 1)),
      is_absolute_(options.threshold_is_absolute),
      is_fixed_(options.threshold_is_fixed) {}

void DenseEquations::set_matrices(const Equations& eq) {
  M.setZero();
  for (int column = 0; column < eq.M.outerSize(); ++column) {
    for (SparseColumns::InnerIterator entry(eq.M, column); entry; ++entry) {
      M(entry.row(), column) = entry.value() * column_scale_[entry.row()] * column_scale_[column];
    }
  }
  P.setZero();
  for (int row = 0; row < eq.P.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(eq.P, row); entry; ++entry)
      P(row, entry.col()) = row_scale_ * entry.value() * column_scale_[entry.col()];
  }
  const double drift = rows() > 0 && !is_fixed_ ? eq.Phi.norm() : 0;
  threshold = std::max(chosen_threshold_, std::min(3 * drift, 1e-3));
}

void DenseEquations::set_right_sides(ConstVector Q_given, ConstVector gamma_given) {
  Q = column_scale_.cwiseProduct(Q_given);
  gamma = row_scale_ * gamma_given;
}

bool DenseEquations::take(const Vector& wdot, const Vector& mu, VectorRef vdot, VectorRef lambda) const {
  vdot = column_scale_.cwiseProduct(wdot);
  lambda = row_scale_ * mu;
  return vdot.allFinite() && lambda.allFinite();
}

std::unique_ptr<Pseudoinverse> create_pseudoinverse(const FormulationOptions& options, int rows, int columns) {
  return find_pseudoinverse_type(options.pseudoinverse)
      ->create(rows, columns, {.greville = read_greville_changes(options.greville)});
}

}  // namespace bricard

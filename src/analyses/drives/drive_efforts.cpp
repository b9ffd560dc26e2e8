#include "analyses/drives/drive_efforts.h"

#include <cmath>

namespace bricard {

DriveEfforts::DriveEfforts(System& system, std::vector<int> rows, Vector weights)
    : system_(system),
      rows_(std::move(rows)),
      weights_(std::move(weights)),
      scale_(system.velocity_size()),
      no_states_(Vector::Zero(system.state_size())),
      tau_(Vector::Zero(weights_.size())),
      lambda_(Vector::Zero(system.row_count())),
      friction_(Vector::Zero(system.velocity_size())),
      residual_(Vector::Zero(system.velocity_size())),
      friction_solver_(system) {
  const double length = system.model().characteristic_length();
  for (int k = 0; k < scale_.size(); ++k) scale_[k] = system.coordinates().is_rotation(k) ? 1 : 1 / length;
}

void DriveEfforts::factorize(const Equations& eq, const Matrix& G) {
  std::vector<Eigen::Triplet<double>> scaled, plain;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    double squared = 0;
    for (SparseRows::InnerIterator entry(eq.P, rows_[k]); entry; ++entry)
      squared += std::pow(entry.value() / scale_[entry.col()], 2);
    const double length = squared > 0 ? std::sqrt(squared) : 1;
    for (SparseRows::InnerIterator entry(eq.P, rows_[k]); entry; ++entry) {
      const int row = static_cast<int>(k), column = static_cast<int>(entry.col());
      scaled.emplace_back(row, column, entry.value() / (scale_[column] * length));
      plain.emplace_back(column, row, entry.value());
    }
  }
  const int n = eq.velocities(), m = static_cast<int>(rows_.size());
  SparseRows A(m, n), transposed(n, m);
  A.setFromTriplets(scaled.begin(), scaled.end());
  transposed.setFromTriplets(plain.begin(), plain.end());
  space_.factorize(A, Matrix(0, n), 1e-9);
  multiplier_solver_.factorize(transposed, 1e-9);

  const int efforts = static_cast<int>(G.rows());
  free_G_.resize(n, efforts);
  for (int k = 0; k < efforts; ++k)
    free_G_.col(k) = space_.projected(G.row(k).transpose().cwiseQuotient(scale_)) / weights_[k];
  any_effort_ = false;
  unique_ = efforts == 0;
  if (efforts == 0) return;
  const double largest = free_G_.colwise().norm().maxCoeff();
  any_effort_ = largest > 1e-9 * weights_.cwiseInverse().maxCoeff();
  if (!any_effort_) return;
  effort_solver_.setThreshold(1e-9);
  effort_solver_.compute(free_G_);
  unique_ = effort_solver_.rank() == efforts;
}

void DriveEfforts::solve(const Matrix& G, const Vector& effect) {
  const Vector load = space_.projected(effect.cwiseQuotient(scale_));
  if (any_effort_) {
    tau_ = effort_solver_.solve(load);
  } else {
    tau_.setZero();
  }
  const Vector missing = load - free_G_ * tau_;
  tau_ = tau_.cwiseQuotient(weights_);
  residual_ = missing.cwiseProduct(scale_);
  residual_size_ = missing.norm(), load_size_ = load.norm();
  const Vector rest = G.transpose() * tau_ + residual_ - effect;
  multiplier_solver_.solve(rest, chosen_);
  lambda_.setZero();
  for (std::size_t k = 0; k < rows_.size(); ++k) lambda_[rows_[k]] = chosen_[static_cast<int>(k)];
}

bool DriveEfforts::find(const Equations& eq, const Matrix& G, const Vector& vdot) {
  factorize(eq, G);
  const Vector inertia = eq.M * vdot;
  const Status status = friction_solver_.settle(eq, no_states_, lambda_, [&](const Vector& Q) {
    solve(G, inertia - Q);
    return Status::ok;
  });
  friction_.setZero();
  if (status == Status::ok && friction_solver_.is_needed()) friction_ = friction_solver_.Q() - eq.Q;
  return status == Status::ok;
}

}  // namespace bricard

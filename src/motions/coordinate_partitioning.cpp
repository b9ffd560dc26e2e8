#include "motions/coordinate_partitioning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "formulations/partition_newton.h"

namespace bricard {

void CoordinatePartitioning::find_directions() {
  const Matrix& B = partition_.B();
  const int F = freedoms(), dependent = velocities_ - F;
  N_.setZero(velocities_, dependent);
  B_inverse_ = B.transpose();
  const std::vector<int>& independent = partition_.coordinates();
  if (F > 0 && independent.empty()) {
    const Eigen::HouseholderQR<Matrix> qr(B.transpose());
    const Matrix Q = qr.householderQ();
    N_ = Q.rightCols(dependent);
    B_inverse_ = B.transpose() * (B * B.transpose()).inverse();
  } else {
    for (int k = 0, column = 0; k < velocities_; ++k) {
      if (!std::binary_search(independent.begin(), independent.end(), k)) N_(k, column++) = 1;
    }
  }
  no_change_.setZero(F);
  y_.resize(dependent);
  if (!partition_.redundant() || dependent == 0) return;
  PN_.resize(eq_.rows(), dependent);
  least_squares_ = std::make_unique<PivotedQr>(eq_.rows(), dependent);
}

void CoordinatePartitioning::pack(double t, ConstVector q, ConstVector v, VectorRef x) {
  IndependentMotion::pack(t, q, v, x);
  last_ = q;
  rest_.resize(eq_.rows());
  find_directions();
}

bool CoordinatePartitioning::solve(const Vector& row_part, ConstVector free_part, Vector& x) {
  if (!partition_.factorize(eq_)) return false;
  if (!partition_.redundant() || y_.size() == 0) {
    partition_.solve(row_part, free_part, x);
    return true;
  }
  x.noalias() = B_inverse_ * free_part;
  rest_ = row_part;
  rest_.noalias() -= eq_.P * x;
  PN_.noalias() = eq_.P * N_;
  constexpr double rounding = 1e-14;
  least_squares_->compute(PN_, rounding);
  if (least_squares_->rank() < static_cast<int>(y_.size())) return false;
  least_squares_->solve(rest_, y_);
  x.noalias() += N_ * y_;
  return true;
}

Status CoordinatePartitioning::unpack(double t, ConstVector x, Vector& q, Vector& v) {
  const auto z = x.head(freedoms()), zdot = x.segment(freedoms(), freedoms());
  const auto states = x.segment(2 * freedoms(), states_);
  z_error_ = z;
  z_error_.noalias() -= partition_.B() * guess_;
  q = guess_;
  q.noalias() += B_inverse_ * z_error_;
  v.setZero();
  const bool found = find_dependent_positions(
      tolerance_, rounding_, INFINITY,
      [&] {
        system_.evaluate(t, q, v, states, Upto::velocities, eq_);
        return eq_.Phi.norm();
      },
      [&] {
        ++iterations_;
        if (!solve(negative(eq_.Phi), no_change_, step_)) return false;
        system_.coordinates().advance(q, step_);
        return true;
      });
  ++unpacked_;
  if (found && solve(negative(eq_.Phi_t), zdot, v)) {
    last_ = q;
    if (v.allFinite()) return Status::ok;
  }
  failure_ = "no positions belong to the independent coordinates (a singular position, or a bad choice of them)";
  return Status::failed;
}

bool CoordinatePartitioning::accept(double t, ConstVector x) {
  if (!IndependentMotion::accept(t, x)) return false;
  guess_ = last_;
  if (is_kept_ && partition_.factorize(eq_)) least_pivots_ = std::min(least_pivots_, partition_.pivots());
  return true;
}

std::string CoordinatePartitioning::report() const {
  std::string text = OverFormulation::report();
  if (is_kept_) text += fmt::format("; their pivots fell to {:.2g} of those at the start", least_pivots_);
  if (unpacked_ == 0) return text;
  return text + fmt::format("; Newton-Raphson took {:.2f} iterations to find the others",
                            static_cast<double>(iterations_) / static_cast<double>(unpacked_));
}

}  // namespace bricard

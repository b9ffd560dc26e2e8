#include "dynamics/whole_projection.h"

#include <cmath>

#include "dynamics/constraint_newton.h"
#include "linear/proximal_settings.h"
#include "system/typical_inertia.h"

namespace bricard {

WholeProjection::WholeProjection(System& system)
    : system_(system),
      eq_(system.empty_equations()),
      solver_(eq_.M, eq_.P),
      shift_(metric_part * typical_inertia(system)),
      zero_(Vector::Zero(eq_.velocities())),
      no_states_(Vector::Zero(system.state_size())),
      step_(eq_.velocities()),
      multiplier_(eq_.rows()),
      right_(eq_.rows()),
      tolerance_(constraint_tolerance(system.model())) {
  for (int row = 0; row < eq_.rows(); ++row) {
    if (system.rows()[row].velocity_level) velocity_rows_.push_back(row);
  }
  if (!velocity_rows_.empty()) P_of_positions_ = eq_.P;
}

StepChange WholeProjection::project(double t, VectorRef q, VectorRef v) {
  if (eq_.rows() == 0) return StepChange::none;
  failure_.clear();
  system_.evaluate(t, q, v, no_states_, Upto::dynamics, eq_);
  double position_error = eq_.Phi.norm();
  double velocity_error = eq_.Phi_dot.norm();
  const double velocity_tolerance = tolerance_ * std::max(1.0, v.lpNorm<Eigen::Infinity>());
  if (position_error <= tolerance_ && velocity_error <= velocity_tolerance) return StepChange::none;

  if (!find_scale()) return StepChange::none;  // no displacement changes rows that say nothing
  if (!factorize(eq_.P)) return StepChange::failed;
  bool without_velocity_rows = false;
  // One factorisation serves all iterations (simplified Newton): the state is near the constraints to begin with.
  for (int iteration = 0; iteration < 20 && position_error > tolerance_; ++iteration) {
    if (!solve(eq_.Phi)) return StepChange::failed;
    system_.coordinates().advance(q, step_);
    system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
    const double error = eq_.Phi.norm();
    if (!std::isfinite(error) || error > 1e3 * position_error) {
      failure_ = "the projection onto the constraints diverged";
      return StepChange::failed;
    }
    const bool stalled = error > 0.5 * position_error;
    position_error = error;
    if (!stalled) continue;
    if (velocity_rows_.empty() || without_velocity_rows || error < 1e3 * tolerance_) break;
    without_velocity_rows = true;
    if (!factorize(rows_of_positions())) return StepChange::failed;
  }
  if (without_velocity_rows && !factorize(eq_.P)) return StepChange::failed;
  velocity_error = eq_.Phi_dot.norm();
  for (int iteration = 0; iteration < 20 && velocity_error > velocity_tolerance; ++iteration) {
    if (!solve(eq_.Phi_dot)) return StepChange::failed;
    v += step_;
    system_.evaluate(t, q, v, no_states_, Upto::velocities, eq_);
    const double error = eq_.Phi_dot.norm();
    const bool stalled = error > 0.5 * velocity_error;
    velocity_error = error;
    if (stalled) break;
  }
  if (!q.allFinite() || !v.allFinite() || position_error > 1e9 * tolerance_) {
    failure_ = "the projection onto the constraints does not converge: the state is too far from them";
    return StepChange::failed;
  }
  return StepChange::corrected;
}

bool WholeProjection::factorize(const SparseRows& P) {
  if (solver_.factorize(eq_.M, P, shift_, mu_)) return true;
  failure_ = "the projection onto the constraints has a singular matrix";
  return false;
}

// Displacements obey rows of velocities as far as they can. Where rows of positions depend on these they cannot.
const SparseRows& WholeProjection::rows_of_positions() {
  std::copy_n(eq_.P.valuePtr(), eq_.P.nonZeros(), P_of_positions_.valuePtr());
  for (const int row : velocity_rows_) {
    const int* const start = P_of_positions_.outerIndexPtr() + row;
    std::fill(P_of_positions_.valuePtr() + start[0], P_of_positions_.valuePtr() + start[1], 0.0);
  }
  return P_of_positions_;
}

bool WholeProjection::find_scale() {
  double typical = 0;
  for (int row = 0; row < eq_.P.outerSize(); ++row) {
    for (SparseRows::InnerIterator entry(eq_.P, row); entry; ++entry) {
      typical = std::max(typical,
                         entry.value() * entry.value() / (eq_.M.coeff(entry.col(), entry.col()) + shift_[entry.col()]));
    }
  }
  mu_ = proximal::projection.mu * typical;
  return typical > 0;
}

bool WholeProjection::solve(const Vector& residual) {
  multiplier_.setZero();
  for (int k = 0; k < proximal::projection.passes; ++k) {
    right_ = -residual - mu_ * multiplier_;
    if (!solver_.solve(zero_, right_, step_, multiplier_)) {
      failure_ = "the projection onto the constraints is not finite";
      return false;
    }
  }
  return true;
}

}  // namespace bricard
